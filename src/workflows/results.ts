import type { Fact } from '../protocol/facts.ts';
import { cutText, jsonBytes } from '../protocol/json.ts';
import { MAX_FAILURE_DETAILS_BYTES, MAX_MEMO_BYTES } from '../protocol/limits.ts';
import { NO_USAGE, type RunResult, type TurnResult } from '../protocol/run.ts';
import type { Run } from './run-state.ts';
import type { ModelSpend, TurnState } from './turn.ts';
import type { TurnEnd } from './turn-end.ts';

/** How a turn ended, with what it spent. */
export function turnResult(turn: TurnState, end: TurnEnd): TurnResult {
  return {
    status: end.status,
    ...(end.reason && { reason: end.reason }),
    text: end.text,
    ...(end.output !== undefined && { output: end.output }),
    iterations: turn.iteration,
    ...told(turn.spend),
    lastState: turn.lastState,
    ...(end.emptyAnswer && { emptyAnswer: true }),
  };
}

type Told = 'usage' | 'costUsdMicros' | 'costUnknown';

function told({ usage, costUsdMicros, costUnknown }: ModelSpend): Pick<TurnResult, Told> {
  return { usage, costUsdMicros, ...(costUnknown && { costUnknown }) };
}

/** The same as a fact. A text that history holds already is not repeated. */
export function turnFinished(turn: TurnState, end: TurnEnd, queued: number): Fact {
  const { lastState: _, costUnknown: __, output: ___, text, ...result } = turnResult(turn, end);
  const shown = end.textIsAnswer ? {} : { text: cutText(text, MAX_MEMO_BYTES / 2) };
  return { type: 'turn_finished', turn: turn.turn, ...result, ...shown, queued };
}

/** How a run ended: its last turn, with usage and cost of all turns. A run may end before its first turn. */
export function runResult(run: Run, last: TurnResult): RunResult {
  const transcript = run.agent?.transcript;
  return {
    ...last,
    ...told(run.spend),
    turns: run.turns,
    transcript: { length: transcript?.lines.length ?? 0, digest: transcript?.digest ?? '' },
  };
}

/** The result of a run that ended outside of any turn. */
export function resultWithoutTurn(end: TurnEnd): TurnResult {
  return {
    status: end.status,
    ...(end.reason && { reason: end.reason }),
    text: end.text,
    iterations: 0,
    usage: NO_USAGE,
    costUsdMicros: 0,
    lastState: { text: '', lastCalls: [] },
  };
}

/** The result cut to what a memo takes: it can be read where nothing else can. */
export function memoResult(result: RunResult): RunResult {
  return cutResult(result, MAX_MEMO_BYTES);
}

/** The result cut to what a failure may carry; over 2 MiB its workflow task would fail for ever. */
export function failureDetails(result: RunResult): RunResult {
  return cutResult(result, MAX_FAILURE_DETAILS_BYTES);
}

function cutResult(result: RunResult, maxBytes: number): RunResult {
  if (jsonBytes(result) <= maxBytes) return result;
  const { output: _, ...rest } = result;
  const bare = { ...rest, text: '', lastState: { text: '', lastCalls: result.lastState.lastCalls.slice(0, 1) } };
  // Half of what is left, since quotes and line breaks take twice their room in JSON.
  const room = Math.max(0, Math.floor((maxBytes - jsonBytes(bare)) / 2));
  return { ...bare, text: cutText(result.text, room) };
}
