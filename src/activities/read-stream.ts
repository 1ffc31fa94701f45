import { type ModelAdapter, ModelError, type ModelEvent, type ModelRequest } from '../adapters/model-adapter.ts';
import { aborted } from './endings.ts';

/** What a model said, whole. */
export type Finished = Extract<ModelEvent, { type: 'finished' }>;

export interface StreamReading {
  readonly adapter: ModelAdapter;
  readonly request: ModelRequest;
  /** Ends the reading from outside; its reason is thrown as it is. */
  readonly signal: AbortSignal;
  /** Longest silence, in ms. Any event ends a silence. */
  readonly idleMs: number;
  /** Longest time for the whole answer, in ms. */
  readonly deadlineMs: number;
  onText(text: string): void;
}

/**
 * Reads an adapter's stream to its end. Throws the signal's reason, or a {@link ModelError}: a retryable `timeout` for a
 * silence or an answer without end, `stream_incomplete` for a stream without `finished`. An adapter that does not stop is
 * left behind.
 */
export async function readStream(reading: StreamReading): Promise<Finished> {
  const watchdog = new Watchdog(reading);
  const signal = AbortSignal.any([reading.signal, watchdog.signal]);
  const stopped = aborted(signal);
  const events = reading.adapter.stream(reading.request, signal)[Symbol.asyncIterator]();
  let finished: Finished | undefined;
  try {
    for (;;) {
      const next = await Promise.race([events.next(), stopped]);
      if (next.done) break;
      watchdog.alive();
      if (next.value.type === 'text_delta') reading.onText(next.value.text);
      if (next.value.type === 'finished') finished = next.value;
    }
  } catch (error) {
    // An adapter that was stopped reports the stop in its own words; why it was stopped is known better here.
    throw signal.aborted ? signal.reason : error;
  } finally {
    watchdog.stop();
    leave(events);
  }
  if (!finished) throw new ModelError('stream_incomplete', 'the model ended its answer half-way', { retryable: true });
  return finished;
}

/** Closes the adapter without waiting for it: one that hangs would hang the activity. Its last words are of no interest. */
function leave(events: AsyncIterator<ModelEvent>): void {
  void Promise.allSettled([events.return?.()]);
}

/** Aborts its signal after a silence, and at the deadline. */
class Watchdog {
  readonly #controller = new AbortController();
  readonly #idle: NodeJS.Timeout;
  readonly #deadline: NodeJS.Timeout;

  constructor({ idleMs, deadlineMs }: Pick<StreamReading, 'idleMs' | 'deadlineMs'>) {
    this.#idle = setTimeout(() => this.#giveUp(`the model was silent for ${idleMs} ms`), idleMs);
    this.#deadline = setTimeout(() => this.#giveUp(`the answer was not complete in ${deadlineMs} ms`), deadlineMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  alive(): void {
    this.#idle.refresh();
  }

  stop(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#deadline);
  }

  #giveUp(message: string): void {
    this.#controller.abort(new ModelError('timeout', message, { retryable: true }));
  }
}
