import type { CallModelResult } from '../protocol/activities.ts';
import { cutText } from '../protocol/json.ts';
import { textOf } from '../protocol/messages.ts';
import type { Reason } from '../protocol/run.ts';
import { afterAnswer } from './answers.ts';
import { compact, compactAfterOverflow, contextIsFull, mayMakeRoom } from './compaction.ts';
import { limitBeforeCalls, limitBeforeModelCall } from './limits.ts';
import { type LoopPorts, type LoopState, type ModelAnswer, modelOfTurn, modelsOf, positionOf } from './loop-ports.ts';
import { spendOf, stopAtLimit } from './stop-at-limit.ts';
import { record, rollBack, say } from './transcript.ts';
import { pay } from './turn.ts';
import { cancelled, failed, type TurnEnd } from './turn-end.ts';

/** `link_full`: the turn is not over and goes on in a new link. */
export type TurnStop = TurnEnd | 'link_full';

/**
 * One turn: ask the model, run the calls it asks for, give the results back, until it ends its turn or something stops it.
 * Whatever stops it leaves a transcript without open calls, from which the next turn can go on.
 */
export async function runTurn(state: LoopState, ports: LoopPorts): Promise<TurnStop> {
  let paused = false;
  for (;;) {
    if (ports.cancelRequested()) return cancelled();
    if (!paused) for (const message of ports.takeQueued()) say(state.transcript, message);
    const limit = limitBeforeModelCall(state.snapshot.limits, spendOf(state, ports));
    if (limit) return stopAtLimit(state, ports, limit);
    if (!paused && contextIsFull(state)) {
      if ((await compact(state, ports)) === 'cancelled') return cancelled();
      continue; // what was said or spent meanwhile counts
    }
    if (!paused && ports.linkIsFull()) return 'link_full';
    state.turn.iteration++;
    const asked = await askWithRoom(state, ports);
    if (asked.status === 'stopped') return asked.end;
    if (asked.status === 'cancelled') return cancelled();
    if (asked.status === 'failed') return modelFailed(state, asked.reason, asked.message);
    takeIn(state, asked.result);
    const stop = await afterAnswer(state, ports, asked.result);
    if (stop) return stop;
    paused = asked.result.stopReason === 'pause_turn';
  }
}

/** Reasons for which another model may well answer. */
const OTHER_MODEL_MAY_ANSWER: ReadonlySet<Reason> = new Set([
  'auth',
  'permission',
  'not_found',
  'rate_limited',
  'overloaded',
  'server_error',
  'timeout',
  'connection',
  'stream_incomplete',
  'bad_model_response',
  'unknown_stop_reason',
]);

/** An answer, or the end of the turn where a limit forbids to ask once more. */
type Asked = ModelAnswer | { readonly status: 'stopped'; readonly end: TurnEnd };

/** Asks, and asks once more in a shorter context where the model would not take this one. */
async function askWithRoom(state: LoopState, ports: LoopPorts): Promise<Asked> {
  const asked = await askModels(state, ports);
  if (!mayMakeRoom(state, asked)) return asked;
  const stopped = stoppedByLimit(state, ports);
  if (stopped) return stopped;
  const compacted = await compactAfterOverflow(state, ports);
  if (compacted === 'none') return asked;
  if (compacted === 'cancelled') return { status: 'cancelled' };
  return stoppedByLimit(state, ports) ?? askModels(state, ports);
}

/** Within an iteration, what was spent counts, and not the iteration. */
function stoppedByLimit(state: LoopState, ports: LoopPorts): Asked | undefined {
  const limit = limitBeforeCalls(state.snapshot.limits, spendOf(state, ports));
  return limit && { status: 'stopped', end: stopAtLimit(state, ports, limit) };
}

/** Asks the turn's model, and the next one of the agent where it is used up or down. An answer is paid for, whatever becomes of it. */
async function askModels(state: LoopState, ports: LoopPorts): Promise<ModelAnswer> {
  const { turn } = state;
  for (;;) {
    const from = modelOfTurn(state);
    const asked = await ports.callModel(positionOf(state), from);
    if (asked.status === 'completed') pay(state, asked.result);
    const to = modelsOf(state)[turn.givenUp + 1];
    if (asked.status !== 'failed' || to === undefined || !OTHER_MODEL_MAY_ANSWER.has(asked.reason)) return asked;
    ports.fact({ type: 'model_fallback', ...positionOf(state), from, to, reason: asked.reason });
    turn.givenUp++;
  }
}

function takeIn({ transcript, turn }: LoopState, result: CallModelResult): void {
  record(transcript, result);
  const text = result.message ? textOf(result.message) : '';
  if (text) turn.lastState = { ...turn.lastState, text: cutText(text, 500) };
}

/** These say that what the turn added can't be sent; kept, it would make every later turn fail too. */
const UNSENDABLE: ReadonlySet<Reason> = new Set([
  'invalid_request',
  'too_large',
  'context_overflow',
  'payload_too_large',
]);

function modelFailed({ transcript, turn }: LoopState, reason: Reason, message: string): TurnEnd {
  if (UNSENDABLE.has(reason)) rollBack(transcript, turn.start);
  return failed(reason, message);
}
