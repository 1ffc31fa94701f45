import type { CallModelInput, CallModelResult, SummarizeInput, SummarizeResult } from '../protocol/activities.ts';
import { ACTIVITIES } from '../protocol/activities.ts';
import type { Fact } from '../protocol/facts.ts';
import { callsOf, type Message, type ResultBlock } from '../protocol/messages.ts';
import { MEMO } from '../protocol/run.ts';
import { carriedLines, carriedOf } from './carried.ts';
import type { DecodedEvent } from './decoded-event.ts';
import { createReducer } from './history-events.ts';
import { isForgotten } from './reduce-activities.ts';

/** What a call is answered with where the run ended before its result was recorded. */
const NO_RESULT = 'The run ended before this call gave a result. It may have had effects.';

/**
 * The conversation as the model has seen and written it, from the history of a run's newest link alone. It ends with the
 * results of the last calls where all are there, or where the run is over: then it is a valid `messages` of a new run.
 */
export function transcriptOf(run: string, events: readonly DecodedEvent[]): Message[] {
  const messages = seenMessages(events);
  const last = messages.at(-1);
  const calls = last?.role === 'assistant' ? callsOf(last) : [];
  if (calls.length === 0) return messages;
  const { results, isOver } = resultsOf(run, events);
  if (!isOver && calls.some(({ callId }) => !results.has(callId))) return messages;
  const content = calls.map(({ callId }) => results.get(callId) ?? noResult(callId));
  return [...messages, { role: 'user', content }];
}

/** Each model call says on what prefix it stands and what it adds; so what was taken back is never seen again. */
function seenMessages(events: readonly DecodedEvent[]): Message[] {
  let messages: Message[] = [];
  let turnStart: number | undefined;
  const inputs = new Map<number, CallModelInput>();
  const compactions = new Map<number, SummarizeInput>();
  for (const event of events) {
    if (event.type === 'link_started') {
      messages = carriedLines(event.args)
        .slice(1)
        .map((line) => JSON.parse(line) as Message);
      turnStart = carriedOf(event.args)?.turn?.start.length;
    } else if (event.type === 'memo_changed' && startsTurn(event.memo)) {
      turnStart = undefined;
    } else if (event.type === 'activity_scheduled' && event.name === ACTIVITIES.callModel) {
      const input = event.input as CallModelInput;
      inputs.set(event.eventId, input);
      // What the turn's first call stands on: a turn that failed before it may have been forgotten.
      turnStart ??= input.base.length;
    } else if (event.type === 'activity_scheduled' && event.name === ACTIVITIES.summarize) {
      compactions.set(event.eventId, event.input as SummarizeInput);
    } else if (event.type === 'activity_ended' && event.ending.status === 'completed') {
      const input = inputs.get(event.scheduledId);
      if (input) messages = afterCall(messages, input, event.ending.result as CallModelResult, turnStart ?? 0);
      const compaction = compactions.get(event.scheduledId);
      if (!compaction) continue;
      const { summary, turnStart: start } = event.ending.result as SummarizeResult;
      messages = [summary, ...messages.slice(compaction.cut, compaction.base.length)];
      turnStart = start.length;
    }
  }
  return messages;
}

function afterCall(
  messages: readonly Message[],
  { base, append }: CallModelInput,
  result: CallModelResult,
  turnStart: number,
): Message[] {
  // What it was asked with may be asked again, behind a summary.
  if (result.stopReason === 'context_overflow') return messages.slice(0, base.length);
  if (isForgotten(result)) return messages.slice(0, turnStart);
  return [...messages.slice(0, base.length), ...append, ...(result.message ? [result.message] : [])];
}

function startsTurn(memo: Readonly<Record<string, unknown>>): boolean {
  const facts = (memo[MEMO.facts] ?? []) as readonly Fact[];
  return facts.some(({ type }) => type === 'turn_started');
}

function resultsOf(run: string, events: readonly DecodedEvent[]) {
  const reducer = createReducer(run);
  const results = new Map<string, ResultBlock>();
  for (const event of events.flatMap((source) => reducer.push(source))) {
    // A provider may use the id of a call again once that call stands in the context no more.
    if (event.type === 'model_result') for (const { callId } of event.calls) results.delete(callId);
    if (event.type !== 'tool_result') continue;
    const { callId, output: content, isError } = event;
    results.set(callId, isError ? { type: 'result', callId, content, isError } : { type: 'result', callId, content });
  }
  return { results, isOver: reducer.view.result !== undefined };
}

function noResult(callId: string): ResultBlock {
  return { type: 'result', callId, content: [{ type: 'text', text: NO_RESULT }], isError: true };
}
