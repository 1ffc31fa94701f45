import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type CallTool, type CallToolInput, FAILURES, type ToolResult } from '../protocol/activities.ts';
import { QUICK_TOOL_TIMEOUT_MS } from '../protocol/limits.ts';
import type { ResultContent } from '../protocol/messages.ts';
import { outcomeOfFailure } from '../protocol/outcomes.ts';
import type { Outcome } from '../protocol/run.ts';
import { errorText } from '../tools/error-text.ts';
import type { Execution, ToolRegistry } from '../tools/registry.ts';
import type { Tool } from '../tools/tool.ts';
import { failureOfStop, stopCause } from './endings.ts';
import type { AskGate } from './gate.ts';
import { startHeartbeat } from './heartbeat.ts';
import type { ToolCallFact } from './hooks.ts';
import type { Observe } from './observe.ts';
import { deniedLaterText, deniedText, onceFailedText, onceStoppedText } from './outcome-texts.ts';
import { runHandler } from './run-handler.ts';

export interface CallToolDeps {
  readonly registry: ToolRegistry;
  readonly askGate: AskGate;
  readonly observe: Observe;
}

/** What one attempt knows. */
interface Attempt {
  readonly context: Context;
  readonly tool: Tool;
  readonly input: CallToolInput;
  readonly fact: ToolCallFact;
  /** The handler's own failures in earlier attempts. Lost workers and deploys are none. */
  readonly failures: number;
}

/**
 * The dispatcher behind every tool: the activity's type is the tool's wire name. Each ending that the model shall read is
 * a value; it throws what shall be tried again, and a cancel.
 */
export function createCallTool(deps: CallToolDeps): CallTool {
  return async (input) => {
    const attempt = beginAttempt(deps.registry, input);
    const { fact } = attempt;
    const stopBeating = startHeartbeat(attempt.context, { details: () => progress(attempt.failures) });
    try {
      const result = await prepareAndRun(deps, attempt);
      const { outcome, content } = result;
      deps.observe('onToolResult', { ...fact, outcome, content });
      return result;
    } finally {
      stopBeating();
    }
  };
}

function beginAttempt(registry: ToolRegistry, input: CallToolInput): Attempt {
  const context = Context.current();
  const { activityType, attempt, workflowExecution, heartbeatDetails } = context.info;
  const tool = registry.get(activityType);
  if (!tool) throw ApplicationFailure.nonRetryable(`no tool ${activityType} on this worker`, FAILURES.toolNotHere);
  const { callId, turn, iteration, agent } = input;
  const run = workflowExecution?.workflowId ?? '';
  // The id alone is distinct within a context: what a compaction or a refusal has taken out of it may come again.
  const idempotencyKey = `${run}/${turn}.${iteration}/${callId}`;
  const call = { callId, name: activityType, input: input.input, idempotencyKey };
  const fact = { run, turn, iteration, agent, attempt, ...call };
  return { context, tool, input, fact, failures: failuresIn(heartbeatDetails) };
}

async function prepareAndRun(deps: CallToolDeps, attempt: Attempt): Promise<ToolResult> {
  const { tool, fact } = attempt;
  // A later attempt exists only where an operator asked for one; the first may have had its effect.
  if (tool.effect === 'once' && fact.attempt > 1) return textResult(attempt, 'unknown', onceStoppedText(fact.name));
  const denial = await deps.askGate(fact);
  if (denial) return deniedResult(attempt, denial.reason);
  deps.observe('onToolCall', fact);
  return await runAndFinish(deps, attempt);
}

function deniedResult(attempt: Attempt, reason: string): ToolResult {
  const { tool, fact } = attempt;
  const mayHaveRun = fact.attempt > 1 && tool.effect !== 'read';
  if (mayHaveRun) return textResult(attempt, 'unknown', deniedLaterText(fact.name, reason));
  return textResult(attempt, 'denied', deniedText(fact.name, reason));
}

async function runAndFinish(deps: CallToolDeps, attempt: Attempt): Promise<ToolResult> {
  const { context, tool, input, fact } = attempt;
  const ending = await runHandler(context, {
    registry: deps.registry,
    wireName: fact.name,
    input: input.input,
    timeoutMs: input.quick ? Math.min(QUICK_TOOL_TIMEOUT_MS, tool.timeoutMs) : tool.timeoutMs,
    maxResultBytes: input.maxResultBytes,
    call: {
      idempotencyKey: fact.idempotencyKey,
      attempt: fact.attempt,
      log: context.log,
      heartbeat: () => beat(attempt),
      runId: fact.run,
      callId: fact.callId,
      agent: fact.agent,
    },
  });
  switch (ending.type) {
    case 'executed':
      if (!ending.execution.retryable) return resultOf(attempt, ending.execution);
      return ownFailure(deps, attempt, ending.execution.error, () => thrownResult(attempt, ending.execution));
    case 'timed_out':
      return ownFailure(deps, attempt, new Error(`${fact.name} timed out`), () => timedOutResult(attempt));
    case 'stopped':
      return stopped(attempt);
  }
}

/** The handler failed. While it has attempts left this throws; then `last` is the answer, for `once` at once. */
function ownFailure(deps: CallToolDeps, attempt: Attempt, error: unknown, last: () => ToolResult): ToolResult {
  const { context, tool, input, fact } = attempt;
  const failures = attempt.failures + 1;
  deps.observe('onError', { ...fact, error });
  if (input.quick) throw toolFailed(fact.name, error, 'final');
  if (tool.effect === 'once' || failures >= tool.maxAttempts) return last();
  // The server keeps the last details for the next attempt; only this attempt's own failure is added to them.
  context.heartbeat(progress(failures));
  throw toolFailed(fact.name, error, 'again');
}

/** The thrown error itself is no cause here: it may be megabytes long, and a failure over 4 MiB is never recorded. */
function toolFailed(name: string, error: unknown, next: 'again' | 'final'): ApplicationFailure {
  const type = FAILURES.toolFailed;
  return ApplicationFailure.create({ message: errorText(error, name), type, nonRetryable: next === 'final' });
}

function stopped(attempt: Attempt): ToolResult {
  const { context, tool, fact } = attempt;
  if (tool.effect === 'once' && stopCause(context) !== 'cancelled') {
    return textResult(attempt, 'unknown', onceStoppedText(fact.name));
  }
  throw failureOfStop(context);
}

function thrownResult(attempt: Attempt, execution: Execution): ToolResult {
  if (attempt.tool.effect !== 'once') return resultOf(attempt, execution);
  const { name } = attempt.fact;
  return textResult(attempt, 'unknown', onceFailedText(name, errorText(execution.error, name)));
}

function timedOutResult(attempt: Attempt): ToolResult {
  const { tool, fact } = attempt;
  const ending = outcomeOfFailure({ kind: 'timeout', timeoutType: 'START_TO_CLOSE' }, tool.effect, fact.name);
  return textResult(attempt, ending.outcome, ending.text);
}

function resultOf(attempt: Attempt, { outcome, content }: Execution): ToolResult {
  return result(attempt, outcome, content);
}

function textResult(attempt: Attempt, outcome: Outcome, text: string): ToolResult {
  return result(attempt, outcome, [{ type: 'text', text }]);
}

function result({ fact }: Attempt, outcome: Outcome, content: readonly ResultContent[]): ToolResult {
  return { callId: fact.callId, outcome, content, attempt: fact.attempt };
}

/** A local activity has no heartbeat. */
function beat({ context, failures }: Attempt): void {
  if (!context.info.isLocal) context.heartbeat(progress(failures));
}

/** What a tool's heartbeat carries, so that it outlives a worker. */
function progress(failures: number): { readonly failures: number } {
  return { failures };
}

function failuresIn(details: unknown): number {
  const { failures } = Object(details) as { failures?: unknown };
  return typeof failures === 'number' ? failures : 0;
}
