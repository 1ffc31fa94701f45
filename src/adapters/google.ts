// Gemini over generateContent, with the official SDK as transport. The SDK is loaded with the first request.

import type { GoogleGenAI } from '@google/genai';
import { isObject, nonEmptyText } from './answer-faults.ts';
import { classify, type Fault, type ProviderFacts } from './classify.ts';
import { GeminiInProgress } from './google-answer.ts';
import { toGeminiRequest } from './google-request.ts';
import { lazily } from './lazily.ts';
import { loadSdk } from './load-sdk.ts';
import type { ModelAdapter, ModelRequest } from './model-adapter.ts';
import { type HeaderReader, retryAfterMs } from './retry-after.ts';
import { adapterWithoutKey, type InStreamError, streamAnswer, type WireEvent } from './stream-answer.ts';

const PACKAGE = { name: '@google/genai', version: '2.32.0' };
const DEFAULT_BASE_URL = 'https://generativelanguage.googleapis.com';
const KEY_VARIABLE = 'GEMINI_API_KEY';
/** The one reason that says more than the status it comes with, which is that of any bad request. */
const BAD_KEY = 'API_KEY_INVALID';
/** The SDK refuses an empty list; what is sent stands in the body that it merges in. */
const REPLACED = 'replaced by the body';

/** Where and as whom the adapter calls. */
export interface GoogleOptions {
  readonly apiKey?: string;
  /** Without a version. Default `https://generativelanguage.googleapis.com`. */
  readonly baseUrl?: string;
}

/** The loaded SDK, and a client for one server. */
interface Wire {
  readonly sdk: typeof import('@google/genai');
  readonly client: GoogleGenAI;
}

/**
 * The adapter for models of Google, over the Gemini API. Without a key, or without the package `@google/genai`, it can be
 * made, and each request fails with `auth` or `not_found`.
 */
export function createGoogleAdapter({ apiKey, baseUrl = DEFAULT_BASE_URL }: GoogleOptions): ModelAdapter {
  if (apiKey === undefined || apiKey === '') return adapterWithoutKey(KEY_VARIABLE);
  const connected = lazily(() => connect(apiKey, baseUrl));
  return {
    prepare: connected,
    stream(request, signal) {
      const facts = { provider: 'Gemini', keyVariable: KEY_VARIABLE, secrets: [apiKey], model: request.model };
      const send = async (sending: AbortSignal) => post(await connected(), request, sending, facts);
      return streamAnswer({ facts, reader: new GeminiInProgress(request.model), send, errorIn }, signal);
    },
  };
}

async function connect(apiKey: string, baseUrl: string): Promise<Wire> {
  const sdk = await loadSdk(PACKAGE, () => import('@google/genai'));
  // What is given here the SDK does not take from the environment. It does not retry unless told to.
  return { sdk, client: new sdk.GoogleGenAI({ apiKey, vertexai: false, httpOptions: { baseUrl } }) };
}

/**
 * The response to a streaming request. The SDK's own types and reader leave out what they do not know, in both
 * directions, and do not close the connection of a reader who leaves: so the body goes as it is, and we read ourselves.
 */
async function post(wire: Wire, request: ModelRequest, signal: AbortSignal, facts: ProviderFacts): Promise<Response> {
  let response: Response | undefined;
  const keepResponse = async (url: string | URL | Request, init?: RequestInit) => {
    response = await fetch(url, init);
    return response;
  };
  const httpOptions = { extraBody: toGeminiRequest(request), fetch: keepResponse };
  const once = { automaticFunctionCalling: { disable: true }, automaticContinuation: false };
  const config = { ...once, abortSignal: signal, httpOptions };
  try {
    await wire.client.models.generateContentStream({ model: request.model, contents: REPLACED, config });
  } catch (error) {
    throw classify(faultOf(error, wire, response), facts, Date.now());
  }
  if (response === undefined) throw new Error('the SDK answered without a request');
  return response;
}

function errorIn({ data }: WireEvent): InStreamError | undefined {
  return isObject(data['error']) ? errorOf(data['error']) : undefined;
}

function faultOf(error: unknown, { sdk }: Wire, response: Response | undefined): Fault {
  if (!(error instanceof sdk.ApiError)) return { type: 'no_status', cause: error };
  const body = errorBody(error.message);
  const { errorType, text } = errorOf(body);
  const headers = response?.headers ?? new Headers();
  const delay = delayOf(body).get('retry-after');
  return {
    type: 'status',
    status: error.status,
    errorType,
    text,
    headers: { get: (name) => headers.get(name) ?? (name === 'retry-after' ? delay : null) },
    cause: error,
  };
}

/** The SDK's message is the body, as JSON. */
function errorBody(message: string): WireEvent['data'] {
  try {
    const parsed: unknown = JSON.parse(message);
    const body = Array.isArray(parsed) ? parsed[0] : parsed;
    return isObject(body) && isObject(body['error']) ? body['error'] : { message };
  } catch {
    return { message }; // a text of the SDK's own
  }
}

function errorOf(error: WireEvent['data']): InStreamError {
  const reason = detailOf(error, 'reason');
  return {
    errorType: reason === BAD_KEY ? BAD_KEY : (nonEmptyText(error['status']) ?? String(error['code'] ?? 'error')),
    text: nonEmptyText(error['message']) ?? JSON.stringify(error),
    retryAfterMs: retryAfterMs(delayOf(error), Date.now()),
  };
}

/** The service says in the body how long to wait; in the form that a header has. */
function delayOf(error: WireEvent['data']): HeaderReader {
  const seconds = detailOf(error, 'retryDelay')?.replace(/s$/, '') ?? null;
  return { get: (name) => (name === 'retry-after' ? seconds : null) };
}

/** A field of one of the details: why a key is refused, how long to wait. */
function detailOf(error: WireEvent['data'], field: string): string | undefined {
  const details = Array.isArray(error['details']) ? error['details'].filter(isObject) : [];
  return details.map((detail) => nonEmptyText(detail[field])).find((value) => value !== undefined);
}
