import { CancellationScope, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import {
  ACTIVITIES,
  type CallModelResult,
  type CallTool,
  type CallToolInput,
  type ContextRef,
  type PawlActivities,
  type Position,
  type SummarizeInput,
  type SummarizeResult,
  type ToolResult,
} from '../protocol/activities.ts';
import { jsonBytes } from '../protocol/json.ts';
import { NOT_RUN, outcomeOfFailure } from '../protocol/outcomes.ts';
import type { RunRequest, RunResult } from '../protocol/run.ts';
import type { AgentSnapshot, ContextHead } from '../protocol/snapshot.ts';
import {
  contextOptions,
  lookUpOptions,
  modelCallOptions,
  quickCallOptions,
  toolCallOptions,
} from './activity-options.ts';
import { type CallRequest, skip, textResult } from './dispatch.ts';
import { callFailureOf, modelAnswerOfFailure } from './failures.ts';
import type { CompactionPlan, ModelAnswer, SummaryAnswer } from './loop-ports.ts';
import { baseOf, type Transcript } from './transcript.ts';
import { callSummary } from './visibility.ts';

/**
 * Looks the agent up; null where it still is what the run has. A local activity: in memory, and recorded like any other.
 */
export function resolveAgent(request: RunRequest, had?: AgentSnapshot): Promise<AgentSnapshot | null> {
  const { prompt: _, messages: __, metadata: ___, ...wanted } = request;
  const activities = proxyLocalActivities<PawlActivities>(lookUpOptions());
  return activities[ACTIVITIES.resolveAgent]({ request: wanted, ...(had && { unless: had.hash }) });
}

/** Computes the digest of the transcript's messages behind another head. */
export function digestBehind(head: ContextHead, transcript: Transcript): Promise<Pick<ContextRef, 'digest'>> {
  const activities = proxyActivities<PawlActivities>(contextOptions());
  return activities[ACTIVITIES.changeHead]({ base: baseOf(transcript), head });
}

/** Tells the worker's `onDone` hook. */
export function notifyDone(result: RunResult): Promise<void> {
  return proxyLocalActivities<PawlActivities>(lookUpOptions())[ACTIVITIES.runDone](result);
}

/** One model call. What travels is what is new since the last one. Never rejects for a failure of the activity. */
export function callModel(
  snapshot: AgentSnapshot,
  transcript: Transcript,
  asked: Position & { readonly model: string },
): Promise<ModelAnswer> {
  const { agent, maxOutputTokens, streamIdleTimeoutMs, modelOptions, providerTools, providerThread, live } = snapshot;
  const input = {
    ...asked,
    base: baseOf(transcript),
    append: transcript.pending,
    agent,
    maxOutputTokens,
    streamIdleTimeoutMs,
    ...(modelOptions && { modelOptions }),
    ...(providerTools && { providerTools }),
    ...(providerThread && { providerThread }),
    ...(live && { live }),
  };
  const bytes = jsonBytes(input);
  if (bytes > snapshot.maxPayloadBytes) return Promise.resolve(tooLarge(bytes, snapshot.maxPayloadBytes));
  const options = modelCallOptions(snapshot, `#${asked.iteration} ${asked.model}`);
  const activities = proxyActivities<PawlActivities>(options);
  return activities[ACTIVITIES.callModel](input).then(completed<CallModelResult>, modelAnswerOfFailure);
}

/** One summary, by a model call of its own kind. Never rejects for a failure of the activity. */
export function summarize(
  snapshot: AgentSnapshot,
  transcript: Transcript,
  asked: Position & CompactionPlan & { readonly model: string },
): Promise<SummaryAnswer> {
  const { agent, streamIdleTimeoutMs } = snapshot;
  const contextWindowTokens = snapshot.compaction?.contextWindowTokens ?? 0;
  const input: SummarizeInput = { ...asked, base: baseOf(transcript), agent, contextWindowTokens, streamIdleTimeoutMs };
  const activities = proxyActivities<PawlActivities>(modelCallOptions(snapshot, `summary, ${asked.model}`));
  return activities[ACTIVITIES.summarize](input).then(completed<SummarizeResult>, modelAnswerOfFailure);
}

function completed<Result>(result: Result): { readonly status: 'completed'; readonly result: Result } {
  return { status: 'completed', result };
}

function tooLarge(bytes: number, limit: number): ModelAnswer {
  const message = `What is new for the model has ${bytes} bytes, and ${limit} bytes fit into one payload. Send less at once, or set up external storage.`;
  return { status: 'failed', reason: 'payload_too_large', message };
}

/**
 * One call of a tool, under the tool's own name and the call's id. Never rejects for a failure of the activity. Written
 * with few promises: the SDK keeps a stack for each, which is most of what a workflow task costs.
 */
export function callTool(snapshot: AgentSnapshot, position: Position, request: CallRequest): Promise<ToolResult> {
  if (cancelRequested()) return Promise.resolve(skip(request.call, NOT_RUN.cancelled));
  const { call, maxResultBytes } = request;
  const input = { ...position, callId: call.callId, input: call.input, agent: snapshot.agent, maxResultBytes };
  return request.quick ? callQuickly(snapshot, input, request) : callOrdinarily(snapshot, input, request);
}

function callOrdinarily(snapshot: AgentSnapshot, input: CallToolInput, request: CallRequest): Promise<ToolResult> {
  const { call, tool } = request;
  const options = toolCallOptions(snapshot, tool, call.callId, callSummary(call.input));
  const activities = proxyActivities<Record<string, CallTool>>(options);
  return activityNamed(activities, tool.name)(input).catch((error: unknown) => failedResult(request, error));
}

/** What fails in the workflow task gets an ordinary activity, with its own attempts and time. */
function callQuickly(snapshot: AgentSnapshot, input: CallToolInput, request: CallRequest): Promise<ToolResult> {
  const activities = proxyLocalActivities<Record<string, CallTool>>(quickCallOptions(callSummary(request.call.input)));
  return activityNamed(
    activities,
    request.tool.name,
  )({ ...input, quick: true }).catch((error: unknown) => {
    const isCancelled = callFailureOf(error).kind === 'cancelled';
    return isCancelled ? failedResult(request, error) : callOrdinarily(snapshot, input, request);
  });
}

function failedResult({ call, tool }: CallRequest, error: unknown): ToolResult {
  const { outcome, text } = outcomeOfFailure(callFailureOf(error), tool.effect, tool.name);
  return textResult(call, outcome, text);
}

function activityNamed(activities: Readonly<Record<string, CallTool>>, name: string): CallTool {
  const activity = activities[name];
  if (!activity) throw new Error(`no activity for ${name}`);
  return activity;
}

/** Whether a user has asked to cancel the run. */
export function cancelRequested(): boolean {
  return CancellationScope.current().consideredCancelled;
}
