// One request to a provider and the reading of its streamed answer: what is the same on every wire.

import { cutText } from '../protocol/json.ts';
import type { JsonObject } from '../protocol/messages.ts';
import { badResponse, isObject } from './answer-faults.ts';
import { classify, type ProviderFacts, requestIdOf } from './classify.ts';
import { type ModelAdapter, ModelError, type ModelEvent } from './model-adapter.ts';
import { redact } from './redact.ts';
import { type SentEvent, sentEvents } from './sse.ts';

/** How long a server may take to end a response whose last event is here; within it the connection is used again. */
const END_GRACE_MS = 100;
/** Enough of a wrong body to see whose it is. */
const MAX_SHOWN_BODY_BYTES = 200;

/** The type of the event with which some wires say that nothing follows. */
export const DONE = '[DONE]';

/** One event of a stream. */
export interface WireEvent {
  /** The event's own type, else its name in the stream, else `''`; {@link DONE} for that mark. */
  readonly type: string;
  readonly data: JsonObject;
}

/** An error that came inside an answer which had begun with 200. */
export interface InStreamError {
  readonly errorType: string;
  readonly text: string;
  /** How long the provider asks to wait, in ms. */
  readonly retryAfterMs?: number;
}

/** One answer while it arrives. */
export interface AnswerReader {
  /** What an event means; after `finished` nothing more is read. Throws ModelError. */
  take(event: WireEvent): readonly ModelEvent[];
  /** What the end of the stream means. Throws ModelError where the answer is not whole. */
  end(): ModelEvent;
}

/** One call of a provider. */
export interface Exchange {
  readonly facts: ProviderFacts;
  readonly reader: AnswerReader;
  /** The response, whose body nobody has begun to read. Throws ModelError for a failing status. */
  send(signal: AbortSignal): Promise<Response>;
  /** The error that an event of this wire stands for, or undefined. */
  errorIn(event: WireEvent): InStreamError | undefined;
}

/** Sends a request and yields its answer. Throws nothing but ModelError; `user_cancelled` where the signal aborted. */
export async function* streamAnswer(exchange: Exchange, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  try {
    yield* answer(exchange, signal);
  } catch (error) {
    throw toModelError(error, signal, exchange.facts);
  }
}

/** An adapter that refuses each request with `auth` before it is sent. */
export function adapterWithoutKey(keyVariable: string): ModelAdapter {
  return {
    async *stream() {
      yield* [];
      const message = `${keyVariable} is not set. Put it into the worker's environment or its .env.`;
      throw new ModelError('auth', message, { retryable: false });
    },
  };
}

async function* answer(exchange: Exchange, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const hangUp = new AbortController();
  const response = await exchange.send(AbortSignal.any([signal, hangUp.signal]));
  const events = eventsOf(response, exchange);
  let isEmpty = true;
  let isLeft = true;
  try {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      isEmpty = false;
      for (const said of exchange.reader.take(read(next.value, response, exchange))) {
        if (said.type === 'finished') {
          await letEnd(events, hangUp);
          isLeft = false;
        }
        yield said;
        if (!isLeft) return;
      }
    }
    isLeft = false;
  } finally {
    // To close the stream in place of this could wait for a next event for ever.
    if (isLeft) hangUp.abort();
  }
  if (isEmpty) throw badResponse('it holds no event');
  yield exchange.reader.end();
}

/** The stream's events, pings too. Our own reading: the SDKs leave some out, or end quietly on an abort. */
async function* eventsOf(response: Response, exchange: Exchange): AsyncGenerator<SentEvent> {
  const contentType = response.headers.get('content-type');
  if (contentType !== null && !contentType.includes('text/event-stream')) throw await wrongBody(response, exchange);
  try {
    yield* sentEvents(response.body ?? noBytes());
  } catch (cause) {
    throw classify({ type: 'no_status', cause }, exchange.facts, Date.now());
  }
}

function read({ event = '', data }: SentEvent, response: Response, exchange: Exchange): WireEvent {
  const wired = data === DONE ? { type: DONE, data: {} } : wireEvent(event, data);
  const error = exchange.errorIn(wired);
  if (error !== undefined) throw brokenOff(error, response, exchange.facts);
  return wired;
}

async function* noBytes(): AsyncGenerator<Uint8Array> {
  yield* [];
}

function wireEvent(name: string, text: string): WireEvent {
  const data = text === '' ? {} : parse(text);
  if (!isObject(data)) throw badResponse('an event is no JSON object');
  return { type: typeof data['type'] === 'string' ? data['type'] : name, data };
}

/** The error for a 200 that is no event stream: an error of the service's in a proxy's clothes, or a foreign body. */
async function wrongBody(response: Response, exchange: Exchange): Promise<ModelError> {
  const contentType = response.headers.get('content-type');
  const text = await response.text();
  const body = contentType?.includes('json') === true ? parse(text) : undefined;
  const error = isObject(body) ? exchange.errorIn({ type: String(body['type'] ?? ''), data: body }) : undefined;
  if (error !== undefined) return brokenOff(error, response, exchange.facts);
  const shown = cutText(redact(text, exchange.facts.secrets), MAX_SHOWN_BODY_BYTES);
  return badResponse(`it is ${contentType} in place of an event stream: ${shown}`);
}

function brokenOff(error: InStreamError, response: Response, facts: ProviderFacts): ModelError {
  return classify({ type: 'in_stream', ...error, requestId: requestIdOf(response.headers) }, facts, Date.now());
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw badResponse('it is not valid JSON', cause);
  }
}

function toModelError(error: unknown, signal: AbortSignal, facts: ProviderFacts): ModelError {
  if (signal.aborted) {
    const cause = signal.reason;
    return new ModelError('user_cancelled', 'The model call was cancelled.', { retryable: false, cause });
  }
  return error instanceof ModelError ? error : classify({ type: 'no_status', cause: error }, facts, Date.now());
}

/** Reads the end of a response whose last event is here, so that its connection need not be torn down. */
async function letEnd(events: AsyncGenerator<SentEvent>, hangUp: AbortController): Promise<void> {
  const timer = setTimeout(() => hangUp.abort(), END_GRACE_MS);
  const ignore = () => undefined; // the answer is whole, whatever comes after it
  await events.next().then(ignore, ignore);
  clearTimeout(timer);
}
