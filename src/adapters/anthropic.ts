// Claude over the Messages API, with the official SDK as transport. The SDK is loaded with the first request.

import type Anthropic from '@anthropic-ai/sdk';
import { cutText } from '../protocol/json.ts';
import type { JsonObject } from '../protocol/messages.ts';
import { AnswerInProgress, badResponse, incomplete, isObject } from './anthropic-answer.ts';
import { toWireRequest } from './anthropic-request.ts';
import { classify, type Fault, type ProviderFacts, redact } from './classify.ts';
import { type ModelAdapter, ModelError, type ModelEvent, type ModelRequest } from './model-adapter.ts';

const DEFAULT_BASE_URL = 'https://api.anthropic.com';
/** How long a server may take to end a response whose last event is here; within it the connection is used again. */
const END_GRACE_MS = 100;
/** Enough of a wrong body to see whose it is. */
const MAX_SHOWN_BODY_BYTES = 200;

/** Where and as whom the adapter calls. The environment is not read for either. */
export interface AnthropicOptions {
  readonly apiKey?: string;
  /** Default `https://api.anthropic.com`. */
  readonly baseUrl?: string;
}

/** What a request needs of the SDK. */
interface Wire {
  readonly sdk: typeof import('@anthropic-ai/sdk');
  readonly rawEvents: typeof import('@anthropic-ai/sdk/core/streaming').Stream.rawEvents;
  readonly client: Anthropic;
}

/** The adapter for models of Anthropic. Without a key it can be made, and each request fails with `auth`. */
export function createAnthropicAdapter(options: AnthropicOptions): ModelAdapter {
  const { apiKey, baseUrl } = options;
  if (apiKey === undefined || apiKey === '') return { stream: refuseWithoutKey };
  let wire: Promise<Wire> | undefined;
  return {
    async *stream(request, signal) {
      const facts = { provider: 'Anthropic', keyVariable: 'ANTHROPIC_API_KEY', apiKey, model: request.model };
      wire ??= connect(apiKey, baseUrl ?? DEFAULT_BASE_URL);
      try {
        yield* answer(await wire, request, signal, facts);
      } catch (error) {
        throw toModelError(error, signal, facts);
      }
    },
  };
}

async function* refuseWithoutKey(): AsyncGenerator<ModelEvent> {
  yield* [];
  throw new ModelError('auth', 'ANTHROPIC_API_KEY is not set.', { retryable: false });
}

async function connect(apiKey: string, baseURL: string): Promise<Wire> {
  const [sdk, streaming] = await Promise.all([import('@anthropic-ai/sdk'), import('@anthropic-ai/sdk/core/streaming')]);
  // Retries are Temporal's. The SDK's log would print what our own errors say already.
  const client = new sdk.Anthropic({ apiKey, baseURL, maxRetries: 0, logLevel: 'off' });
  return { sdk, client, rawEvents: streaming.Stream.rawEvents };
}

async function* answer(
  wire: Wire,
  request: ModelRequest,
  signal: AbortSignal,
  facts: ProviderFacts,
): AsyncGenerator<ModelEvent> {
  const hangUp = new AbortController();
  const response = await send(wire, request, AbortSignal.any([signal, hangUp.signal]), facts);
  const events = readEvents(wire, response, facts);
  const progress = new AnswerInProgress(request.model);
  let isEmpty = true;
  for await (const { type, data } of events) {
    isEmpty = false;
    const event = progress.take(type, data);
    if (event.type === 'finished') await letEnd(events, hangUp);
    yield event;
    if (event.type === 'finished') return;
  }
  throw isEmpty ? badResponse('it holds no event') : incomplete('The answer broke off before its end.');
}

/** The response to a streaming request, which no number of output tokens makes the SDK refuse. */
async function send(wire: Wire, request: ModelRequest, signal: AbortSignal, facts: ProviderFacts): Promise<Response> {
  const { betas, ...body } = toWireRequest(request) as ReturnType<typeof toWireRequest> & { betas?: unknown };
  const headers = Array.isArray(betas) ? { 'anthropic-beta': betas.join(',') } : undefined;
  const params = body as unknown as Anthropic.MessageCreateParamsStreaming;
  try {
    return await wire.client.messages.create(params, { signal, headers }).asResponse();
  } catch (error) {
    throw classify(faultOf(error, wire), facts, Date.now());
  }
}

interface WireEvent {
  readonly type: string;
  readonly data: JsonObject;
}

/** The stream's events, pings too. Our own reading: the SDK's leaves pings out and ends quietly on an abort. */
async function* readEvents(wire: Wire, response: Response, facts: ProviderFacts): AsyncGenerator<WireEvent> {
  const contentType = response.headers.get('content-type');
  if (contentType !== null && !contentType.includes('text/event-stream')) throw await wrongBody(response, facts);
  try {
    for await (const { event, data } of wire.rawEvents(response)) {
      const parsed = data === '' ? {} : parse(data);
      if (!isObject(parsed)) throw badResponse('an event is no JSON object');
      const type = typeof parsed['type'] === 'string' ? parsed['type'] : (event ?? '');
      if (type === 'error') throw classify(errorInside(parsed, response), facts, Date.now());
      yield { type, data: parsed };
    }
  } catch (error) {
    throw error instanceof ModelError ? error : classify({ type: 'no_status', cause: error }, facts, Date.now());
  }
}

/** The error for a 200 that is no event stream: an error of the service's in a proxy's clothes, or a foreign body. */
async function wrongBody(response: Response, facts: ProviderFacts): Promise<ModelError> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const body = isJson ? parse(text) : undefined;
  if (isObject(body) && body['type'] === 'error') return classify(errorInside(body, response), facts, Date.now());
  const shown = cutText(redact(text, facts.apiKey), MAX_SHOWN_BODY_BYTES);
  return badResponse(`it is ${response.headers.get('content-type')} in place of an event stream: ${shown}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw badResponse('it is not valid JSON', cause);
  }
}

function errorInside(body: JsonObject, response: Response): Fault {
  const error = isObject(body['error']) ? body['error'] : {};
  return {
    type: 'in_stream',
    errorType: typeof error['type'] === 'string' ? error['type'] : 'error',
    text: typeof error['message'] === 'string' ? error['message'] : JSON.stringify(body),
    requestId: response.headers.get('request-id') ?? undefined,
  };
}

function faultOf(error: unknown, { sdk }: Wire): Fault {
  if (!(error instanceof sdk.APIError) || error.status === undefined) return { type: 'no_status', cause: error };
  return {
    type: 'status',
    status: error.status,
    errorType: typeof error.type === 'string' ? error.type : undefined,
    text: typeof error.apiMessage === 'string' ? error.apiMessage : error.message.replace(/^\d{3} /, ''),
    headers: error.headers ?? new Headers(),
    cause: error,
  };
}

function toModelError(error: unknown, signal: AbortSignal, facts: ProviderFacts): ModelError {
  if (signal.aborted) {
    const cause = signal.reason;
    return new ModelError('user_cancelled', 'The model call was cancelled.', { retryable: false, cause });
  }
  return error instanceof ModelError ? error : classify({ type: 'no_status', cause: error }, facts, Date.now());
}

/** Reads the end of a response whose last event is here, so that its connection need not be torn down. */
async function letEnd(events: AsyncGenerator<WireEvent>, hangUp: AbortController): Promise<void> {
  const timer = setTimeout(() => hangUp.abort(), END_GRACE_MS);
  const ignore = () => undefined; // the answer is whole, whatever comes after it
  await events.next().then(ignore, ignore);
  clearTimeout(timer);
}
