// The official OpenAI SDK as transport, for OpenAI itself and for every server that speaks its Chat Completions.

import type OpenAI from 'openai';
import { isObject, nonEmptyText } from './answer-faults.ts';
import { classify, type Fault, type ProviderFacts } from './classify.ts';
import { loadSdk } from './load-sdk.ts';
import type { InStreamError, WireEvent } from './stream-answer.ts';

const PACKAGE = { name: 'openai', version: '6.49.0' };
/** The SDK insists on a key; a server without keys gets no header at all. */
const NO_KEY = 'none';
/** Headers of the SDK's own making, and ours. Others come from an environment variable that we have not read. */
const OWN_HEADERS = /^(accept|authorization|content-type|user-agent|x-stainless-.+)$/;

/** The loaded SDK, and a client for one server. */
export interface OpenAiWire {
  readonly sdk: typeof import('openai');
  readonly client: OpenAI;
  /** Headers that each request must give. */
  readonly headers: Readonly<Record<string, string | null>>;
}

/** Loads the SDK. Throws ModelError `not_found` where it is not installed. */
export async function connectOpenAi(apiKey: string | undefined, baseURL: string): Promise<OpenAiWire> {
  const sdk = await loadSdk(PACKAGE, () => import('openai'));
  // An error body of another form than OpenAI's would be lost.
  class Client extends sdk.OpenAI {
    protected override makeStatusError(status: number, body: object, message: string | undefined, headers: Headers) {
      return super.makeStatusError(status, isObject(body) && !body['error'] ? { error: body } : body, message, headers);
    }
  }
  // What is not given here the SDK takes from the environment. Retries are Temporal's; the log would repeat our errors.
  const nothingElse = { adminAPIKey: null, organization: null, project: null, webhookSecret: null };
  const client = new Client({
    ...nothingElse,
    apiKey: apiKey ?? NO_KEY,
    baseURL,
    maxRetries: 0,
    logLevel: 'off',
    fetch: fetchWithOwnHeaders,
  });
  return { sdk, client, headers: { authorization: apiKey === undefined ? null : `Bearer ${apiKey}` } };
}

/** The response to a request of the SDK's. Throws ModelError for a failing status and for a missing answer. */
export async function responseTo(
  wire: OpenAiWire,
  request: { asResponse(): Promise<Response> },
  facts: ProviderFacts,
): Promise<Response> {
  try {
    return await request.asResponse();
  } catch (error) {
    throw classify(faultOf(error, wire), facts, Date.now());
  }
}

/** The error in an event: `{ error: { code, type, message } }`, or an event that is one itself. */
export function openAiErrorIn({ type, data }: WireEvent): InStreamError | undefined {
  const failed = type === 'response.failed' && isObject(data['response']) ? data['response'] : data;
  const error = failed['error'];
  if (isObject(error)) return { errorType: errorTypeOf(error) ?? 'error', text: textOf(error) };
  if (typeof error === 'string') return { errorType: 'error', text: error };
  if (type !== 'error' && type !== 'response.failed') return undefined;
  return { errorType: errorTypeOf({ ...data, type: '' }) ?? 'error', text: textOf(data) };
}

function errorTypeOf(error: Readonly<Record<string, unknown>>): string | undefined {
  const { code, type } = error;
  if (typeof code === 'number') return String(code);
  return [code, type].find((word): word is string => typeof word === 'string' && word !== '');
}

function textOf(error: NonNullable<WireEvent['data']>): string {
  return nonEmptyText(error['message']) ?? JSON.stringify(error);
}

function faultOf(error: unknown, { sdk }: OpenAiWire): Fault {
  if (!(error instanceof sdk.APIError) || error.status === undefined) return { type: 'no_status', cause: error };
  return {
    type: 'status',
    status: error.status,
    errorType: errorTypeOf(error as unknown as Readonly<Record<string, unknown>>),
    text: error.message.replace(/^\d{3} /, ''),
    headers: error.headers ?? new Headers(),
    cause: error,
  };
}

async function fetchWithOwnHeaders(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const headers = [...new Headers(init?.headers)].filter(([name]) => OWN_HEADERS.test(name));
  return fetch(url, { ...init, headers });
}
