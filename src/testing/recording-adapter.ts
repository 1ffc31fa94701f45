import type { AdapterFactories } from '../adapters/by-name.ts';
import { type ModelAdapter, ModelError, type ModelEvent, type ModelRequest } from '../adapters/model-adapter.ts';
import { withoutSecrets } from './redact.ts';
import { type RecordedCall, type RecordedError, shortForm } from './sequence.ts';

/** Where recorded calls go, and what may not be in them. */
export interface Recording {
  /** Values to take out beside what looks like a secret: `secretsIn(process.env)`. */
  readonly secrets: readonly string[];
  /** Gets each model call when it has ended. What it throws fails the call. */
  onCall(call: RecordedCall): void;
}

/**
 * The adapter, with a record of what it answers. A call that is stopped from outside, by a cancel or by the end of its
 * worker, is left out: what it would have answered is not known.
 */
export function recordingAdapter(adapter: ModelAdapter, { secrets, onCall }: Recording): ModelAdapter {
  return {
    async *stream(request, signal) {
      const events: ModelEvent[] = [];
      const keep = (error?: RecordedError): void => onCall(withoutSecrets(recorded(request, events, error), secrets));
      try {
        for await (const event of adapter.stream(request, signal)) {
          if (event.type !== 'alive') events.push(event);
          yield event;
        }
      } catch (error) {
        if (error instanceof ModelError && !signal.aborted) keep(recordedError(error));
        throw error;
      }
      keep();
    },
  };
}

/** The same for every provider of a worker: `createWorker({ adapters: recordingAdapters(adapters, recording) })`. */
export function recordingAdapters(factories: AdapterFactories, recording: Recording): AdapterFactories {
  const wrapped = Object.entries(factories).map(([provider, make]) => [
    provider,
    async () => recordingAdapter(await make(), recording),
  ]);
  return Object.fromEntries(wrapped);
}

function recorded(request: ModelRequest, events: readonly ModelEvent[], error?: RecordedError): RecordedCall {
  return { asked: shortForm(request), events, ...(error && { error }) };
}

function recordedError({ kind, message, retryable, status }: ModelError): RecordedError {
  return { kind, message, retryable, ...(status !== undefined && { status }) };
}
