import { type ModelAdapter, ModelError, type ModelEvent } from '../adapters/model-adapter.ts';
import { requestDifference } from './request-difference.ts';
import type { RecordedCall, Sequence } from './sequence.ts';

/** A failed attempt is tried again after this: as good as at once, since nothing has to recover. */
const RETRY_AFTER_MS = 1;

/** How closely a replay looks. */
export interface ReplayOptions {
  /** Tools whose results are different each time, such as a clock's: their content is not compared. Default none. */
  readonly varyingTools?: readonly string[];
}

/** An adapter that plays a sequence. */
export interface ReplayAdapter extends ModelAdapter {
  /** Recorded model calls that have not been asked for yet. 0 at the end of a run that went as it did when recorded. */
  readonly left: number;
}

/**
 * Answers as recorded, call after call; a recorded failure fails again, and may be tried again at once. Asked anything
 * else than what was recorded it throws a ModelError `invalid_request` that names what differs, so that the run fails.
 * One adapter plays one run.
 */
export function replayAdapter(sequence: Sequence, { varyingTools: varying = [] }: ReplayOptions = {}): ReplayAdapter {
  const names = new Set(varying);
  let played = 0;
  return {
    get left() {
      return sequence.length - played;
    },
    async *stream(request) {
      const call = sequence[played];
      if (!call) throw differs(`model call ${played + 1} of ${sequence.length}: it was not recorded`);
      const difference = requestDifference(call.asked, request, names);
      if (difference) throw differs(`model call ${played + 1} of ${sequence.length}: ${difference}`);
      played++;
      yield* eventsOf(call);
    },
  };
}

function* eventsOf({ events, error }: RecordedCall): Generator<ModelEvent> {
  yield* events;
  if (!error) return;
  const { kind, message, ...options } = error;
  throw new ModelError(kind, message, { ...options, retryAfterMs: RETRY_AFTER_MS });
}

function differs(what: string): ModelError {
  const message = `The run is not as it was recorded, at ${what}`;
  return new ModelError('invalid_request', message, { retryable: false });
}
