import { CompleteAsyncError, Context, type Info } from '@temporalio/activity';
import { LRUCache } from 'lru-cache';
import { jsonBytes } from '../protocol/json.ts';
import type { CompleteAttempt } from './complete-attempt.ts';
import { aborted } from './endings.ts';

/** A larger result may be one that the server can't take, which the SDK reports by name before it sends it. */
const MAX_OFFERED_BYTES = 1024 * 1024;
/** Results that the server has not taken: what an outage leaves behind is one result for each call that ran. */
const KEPT_BYTES = 32 * 1024 * 1024;
/** How long a result waits for another attempt: an outage, the pause before the attempt, and a queue that is long then. */
const KEPT_MS = 60 * 60_000;
/** Between two offers, beside the pauses of the connection: a server that is just starting is not asked in a loop. */
const PAUSE_MS = 500;

/**
 * The results of attempts, until the server has them. The SDK's worker would drop a result that it can't deliver within
 * ten seconds. Here it is offered as long as its attempt lives, and kept for the next attempt if that was not enough.
 */
export class FinishedResults {
  readonly #complete: CompleteAttempt;
  readonly #kept: LRUCache<string, object>;

  constructor(complete: CompleteAttempt, maxBytes = KEPT_BYTES) {
    this.#complete = complete;
    this.#kept = new LRUCache({ maxSize: maxBytes, ttl: KEPT_MS });
  }

  /**
   * Runs an attempt, or takes the result that an earlier attempt of the same activity has left, and delivers it. Throws
   * {@link CompleteAsyncError} when the server has it. What it returns is left to the SDK: where the attempt was stopped
   * from outside, the server refuses the result, or it is very large.
   */
  async deliver<T extends object>(run: () => Promise<T>): Promise<T> {
    const { info, cancellationSignal, log } = Context.current();
    if (info.isLocal) return await run();
    const key = keyOf(info);
    const left = this.#kept.get(key) as T | undefined; // by the same activity, so of the same type
    if (left) log.info('an earlier attempt has finished; its result is delivered');
    const result = left ?? (await run());
    const size = Math.max(1, jsonBytes(result));
    if (cancellationSignal.aborted || size > MAX_OFFERED_BYTES) return result;
    this.#kept.set(key, result, { size });
    const stopped = aborted(cancellationSignal).catch(() => false);
    if (await Promise.race([this.#offer(key, result), stopped])) throw new CompleteAsyncError();
    return result;
  }

  /** Whether the server has said its last word. Goes on until then, or until the attempt is stopped. */
  async #offer(key: string, result: object): Promise<boolean> {
    const { cancellationSignal, log } = Context.current();
    for (let offers = 1; !cancellationSignal.aborted; offers++) {
      switch (await this.#complete(result)) {
        case 'taken':
          this.#kept.delete(key);
          return true;
        case 'over':
          log.warn('the server no longer waits for a result; it is kept for another attempt');
          return true;
        case 'refused':
          this.#kept.delete(key);
          return false;
        case 'not_now':
          if (offers === 1) log.warn('the server does not take a result; it is offered until its attempt is over');
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
    return false;
  }
}

/** The same in all attempts of one scheduled activity. A run may use an activity id again later. */
function keyOf({ workflowExecution, activityId, scheduledTimestampMs }: Info): string {
  return `${workflowExecution?.runId}/${activityId}/${scheduledTimestampMs}`;
}
