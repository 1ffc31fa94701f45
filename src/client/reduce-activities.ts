// What activities tell of a run: iterations, model results, calls and their results.

import {
  ACTIVITIES,
  type CallModelInput,
  type CallModelResult,
  type CallToolInput,
  type SummarizeInput,
  type SummarizeResult,
  type ToolResult,
} from '../protocol/activities.ts';
import { type CallBlock, callsOf, textOf } from '../protocol/messages.ts';
import { type CallFailure, NOT_RUN, notRunText, outcomeOfFailure } from '../protocol/outcomes.ts';
import { addUsage, type Outcome } from '../protocol/run.ts';
import type { ToolSnapshot } from '../protocol/snapshot.ts';
import type { ActivityEnding, DecodedEvent } from './decoded-event.ts';
import type { Emit } from './event-emitter.ts';
import type { FinalEnding } from './run-ending.ts';
import { addCost, type Pending, type RunView } from './run-view.ts';

type Of<Type extends DecodedEvent['type']> = Extract<DecodedEvent, { type: Type }>;

/** An activity is scheduled: an iteration begins, or a call. */
export function onScheduled(view: RunView, event: Of<'activity_scheduled'>, emit: Emit): void {
  const { activityId: callId, name, input } = event;
  const kind = kindOf(name);
  if (kind === 'model') {
    const position = input as CallModelInput;
    flushVerdicts(view, emit);
    // A fallback model is asked within the same iteration.
    const isNew = position.turn !== view.turn || position.iteration !== view.iteration;
    view.turn = position.turn;
    view.iteration = position.iteration;
    if (isNew) emit({ type: 'iteration_started', turn: view.turn, iteration: view.iteration });
  }
  const { turn, iteration } = view;
  if (kind === 'summary') flushVerdicts(view, emit);
  if (kind === 'tool') {
    flushVerdicts(view, emit);
    emit({ type: 'tool_call', turn, iteration, callId, name, input: (input as CallToolInput).input });
  }
  view.pending.set(event.eventId, { kind, callId, name, input, turn, iteration, scheduledAt: event.at, attempt: 0 });
}

/** The last attempt of an activity has begun; history tells it only when the activity is over. */
export function onAttempt(view: RunView, event: Of<'activity_started'>): void {
  const pending = view.pending.get(event.scheduledId);
  if (pending) pending.attempt = event.attempt;
}

/** An activity is over. */
export function onEnded(view: RunView, event: Of<'activity_ended'>, emit: Emit): void {
  const pending = take(view, event.scheduledId);
  if (!pending) return;
  if (pending.kind === 'tool') emit(resultAtEnd(view, pending, event));
  if (event.ending.status === 'failed') return;
  if (pending.kind === 'model') onModelResult(view, pending, event.ending.result as CallModelResult, emit);
  if (pending.kind === 'summary') onSummary(view, pending, event.ending.result as SummarizeResult, emit);
}

/** The run was cancelled and waits no longer for this activity. */
export function onGivenUp(view: RunView, event: Of<'activity_given_up'>, emit: Emit): void {
  const pending = take(view, event.scheduledId);
  if (pending?.kind !== 'tool') return;
  emit(resultAtEnd(view, pending, { at: event.at, ending: { status: 'failed', failure: { kind: 'cancelled' } } }));
}

/** A quick call: history tells its beginning and its end at once. After a failed one the ordinary activity follows. */
export function onLocal(view: RunView, event: Of<'local_activity_ended'>, emit: Emit): void {
  if (kindOf(event.name) !== 'tool' || event.ending.status === 'failed') return;
  const result = event.ending.result as ToolResult;
  flushVerdicts(view, emit);
  const { turn, iteration } = view;
  const open = view.open.get(result.callId);
  if (!open) return;
  view.open.delete(result.callId);
  emit({ type: 'tool_call', turn, iteration, callId: result.callId, name: event.name, input: open.call.input });
  const attempts = attemptsOf(result.outcome, result.attempt ?? event.attempt);
  const durationMs = Math.max(0, event.completedAtMs - view.taskStartedAtMs);
  emit({ ...resultFields(view, result, event.name), attempts, durationMs });
}

/** Calls that were answered without running. The run may skip them instead, so this waits until it has gone on. */
export function flushVerdicts(view: RunView, emit: Emit): void {
  for (const { call, verdict } of view.open.values()) {
    const text = verdict && 'text' in verdict ? verdict.text : missingTool(view, call.name);
    if (text === undefined) continue;
    view.open.delete(call.callId);
    const result = textResult(call.callId, 'failed', text);
    emit({ ...resultFields(view, result, call.name), attempts: 0, durationMs: 0 });
  }
}

/** Calls that the end of the run left without a result: nobody waits for them any more. */
export function leaveCalls(view: RunView, how: FinalEnding['status'], at: string, emit: Emit): void {
  for (const [scheduledId, pending] of view.pending) {
    view.pending.delete(scheduledId);
    if (pending.kind !== 'tool') continue;
    const result = textResult(
      pending.callId,
      'unknown',
      `The run ended while ${pending.name} ran. It may have had effects.`,
    );
    view.open.delete(pending.callId);
    const durationMs = Date.parse(at) - Date.parse(pending.scheduledAt);
    emit({ ...resultFields(view, result, pending.name), attempts: pending.attempt, durationMs });
  }
  if (how !== 'cancelled') return;
  for (const { call } of view.open.values()) {
    view.open.delete(call.callId);
    emit({ ...resultFields(view, notBegun(view, call), call.name), attempts: 0, durationMs: 0 });
  }
}

/** A call of a cancelled run of which history has nothing. A quick one may have begun: it leaves no trace then. */
function notBegun(view: RunView, { callId, name }: CallBlock): ToolResult {
  if (!toolOf(view, name)?.quick) return textResult(callId, 'skipped', notRunText(name, NOT_RUN.cancelled));
  const { outcome, text } = outcomeOfCallFailure(view, name, { kind: 'cancelled' });
  return textResult(callId, outcome, text);
}

function onModelResult(view: RunView, pending: Pending, result: CallModelResult, emit: Emit): void {
  const { message, stopReason, rawStopReason, model, usage, costUsdMicros } = result;
  const calls = message ? callsOf(message) : [];
  const text = message ? textOf(message) : '';
  const { turn, iteration, base, append } = pending.input as CallModelInput;
  emit({
    type: 'model_result',
    turn,
    iteration,
    stopReason,
    rawStopReason,
    model,
    attempts: pending.attempt,
    usage,
    costUsdMicros,
    calls: calls.map(({ callId, name, input }) => ({ callId, name, input })),
  });
  if (text) emit({ type: 'assistant_text', turn, iteration, text });
  view.usage = addUsage(view.usage, usage);
  view.costUsdMicros = addCost(view.costUsdMicros, costUsdMicros);
  view.lastText = text;
  view.transcript = { length: base.length + append.length + (message ? 1 : 0), digest: result.digest };
  view.open.clear();
  if (isForgotten(result)) return;
  for (const [index, call] of calls.entries()) view.open.set(call.callId, { call, verdict: result.verdicts[index] });
}

function onSummary(view: RunView, pending: Pending, result: SummarizeResult, emit: Emit): void {
  const { base, cut, turn, iteration } = pending.input as SummarizeInput;
  const { model, usage, costUsdMicros } = result;
  const kept = base.length - cut;
  emit({
    type: 'compacted',
    turn,
    iteration,
    context: base.context + 1,
    summarized: cut,
    kept,
    summary: textOf(result.summary),
    model,
    attempts: pending.attempt,
    usage,
    costUsdMicros,
  });
  view.usage = addUsage(view.usage, usage);
  view.costUsdMicros = addCost(view.costUsdMicros, costUsdMicros);
  view.transcript = { length: kept + 1, digest: result.digest };
}

/** A refused answer leaves the transcript again, and its calls with it; one that broke off at the window's end as well. */
export function isForgotten({ stopReason }: CallModelResult): boolean {
  return ['refusal', 'content_filter', 'context_overflow'].includes(stopReason);
}

/** The result of a call that was scheduled. The call is open no longer. */
function resultAtEnd(view: RunView, pending: Pending, { ending, at }: { ending: ActivityEnding; at: string }) {
  const result = toolResultOf(view, pending, ending);
  view.open.delete(pending.callId);
  return {
    ...resultFields(view, result, pending.name),
    turn: pending.turn,
    iteration: pending.iteration,
    attempts: attemptsOf(result.outcome, result.attempt ?? pending.attempt),
    durationMs: Date.parse(at) - Date.parse(pending.scheduledAt),
  };
}

function toolResultOf(view: RunView, { callId, name }: Pending, ending: ActivityEnding): ToolResult {
  if (ending.status === 'completed') return ending.result as ToolResult;
  const { outcome, text } = outcomeOfCallFailure(view, name, ending.failure);
  return textResult(callId, outcome, text);
}

function textResult(callId: string, outcome: Outcome, text: string): ToolResult {
  return { callId, outcome, content: [{ type: 'text', text }] };
}

function toolOf(view: RunView, name: string): ToolSnapshot | undefined {
  return view.snapshot?.tools.find((tool) => tool.name === name);
}

function outcomeOfCallFailure(view: RunView, name: string, failure: CallFailure) {
  return outcomeOfFailure(failure, toolOf(view, name)?.effect ?? 'once', name);
}

function resultFields({ turn, iteration }: RunView, result: ToolResult, name: string) {
  const { callId, outcome, content } = result;
  const isError = outcome !== 'completed';
  return { type: 'tool_result', turn, iteration, callId, name, outcome, isError, output: content } as const;
}

function attemptsOf(outcome: Outcome, attempt: number): number {
  return outcome === 'denied' || outcome === 'skipped' ? 0 : attempt;
}

function missingTool(view: RunView, name: string): string | undefined {
  if (!view.snapshot || toolOf(view, name)) return undefined;
  return notRunText(name, NOT_RUN.noSuchTool);
}

function take(view: RunView, scheduledId: number): Pending | undefined {
  const pending = view.pending.get(scheduledId);
  view.pending.delete(scheduledId);
  return pending;
}

function kindOf(name: string): Pending['kind'] {
  if (name === ACTIVITIES.callModel) return 'model';
  if (name === ACTIVITIES.summarize) return 'summary';
  return name.includes('.') ? 'other' : 'tool';
}
