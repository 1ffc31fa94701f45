// Claude over the Messages API, with the official SDK as transport. The SDK is loaded with the first request.

import type Anthropic from '@anthropic-ai/sdk';
import { incomplete, isObject } from './answer-faults.ts';
import { AnswerInProgress } from './anthropic-answer.ts';
import { toWireRequest } from './anthropic-request.ts';
import { classify, type Fault, type ProviderFacts } from './classify.ts';
import { lazily } from './lazily.ts';
import type { ModelAdapter, ModelRequest } from './model-adapter.ts';
import {
  type AnswerReader,
  adapterWithoutKey,
  type InStreamError,
  streamAnswer,
  type WireEvent,
} from './stream-answer.ts';

const DEFAULT_BASE_URL = 'https://api.anthropic.com';
const KEY_VARIABLE = 'ANTHROPIC_API_KEY';

/** Where and as whom the adapter calls. The environment is not read for either. */
export interface AnthropicOptions {
  readonly apiKey?: string;
  /** Default `https://api.anthropic.com`. */
  readonly baseUrl?: string;
}

/** What a request needs of the SDK. */
interface Wire {
  readonly sdk: typeof import('@anthropic-ai/sdk');
  readonly client: Anthropic;
}

/** The adapter for models of Anthropic. Without a key it can be made, and each request fails with `auth`. */
export function createAnthropicAdapter(options: AnthropicOptions): ModelAdapter {
  const { apiKey, baseUrl } = options;
  if (apiKey === undefined || apiKey === '') return adapterWithoutKey(KEY_VARIABLE);
  const wire = lazily(() => connect(apiKey, baseUrl ?? DEFAULT_BASE_URL));
  return {
    prepare: wire,
    stream(request, signal) {
      const facts = { provider: 'Anthropic', keyVariable: KEY_VARIABLE, apiKey, model: request.model };
      const send = async (sending: AbortSignal) => post(await wire(), request, sending, facts);
      return streamAnswer({ facts, reader: readerOf(request.model), send, errorIn }, signal);
    },
  };
}

async function connect(apiKey: string, baseURL: string): Promise<Wire> {
  const sdk = await import('@anthropic-ai/sdk');
  // Retries are Temporal's. The SDK's log would print what our own errors say already.
  return { sdk, client: new sdk.Anthropic({ apiKey, baseURL, maxRetries: 0, logLevel: 'off' }) };
}

function readerOf(model: string): AnswerReader {
  const progress = new AnswerInProgress(model);
  return {
    take: ({ type, data }) => [progress.take(type, data)],
    end: () => {
      throw incomplete('The answer broke off before its end.');
    },
  };
}

/** The response to a streaming request, which no number of output tokens makes the SDK refuse. */
async function post(wire: Wire, request: ModelRequest, signal: AbortSignal, facts: ProviderFacts): Promise<Response> {
  const { betas, ...body } = toWireRequest(request) as ReturnType<typeof toWireRequest> & { betas?: unknown };
  const headers = Array.isArray(betas) ? { 'anthropic-beta': betas.join(',') } : undefined;
  const params = body as unknown as Anthropic.MessageCreateParamsStreaming;
  try {
    return await wire.client.messages.create(params, { signal, headers }).asResponse();
  } catch (error) {
    throw classify(faultOf(error, wire), facts, Date.now());
  }
}

function errorIn({ type, data }: WireEvent): InStreamError | undefined {
  if (type !== 'error') return undefined;
  const error = isObject(data['error']) ? data['error'] : {};
  return {
    errorType: typeof error['type'] === 'string' ? error['type'] : 'error',
    text: typeof error['message'] === 'string' ? error['message'] : JSON.stringify(data),
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
