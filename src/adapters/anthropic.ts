// Claude over the Messages API, with the official SDKs as transport. An SDK is loaded with the first request.

import type Anthropic from '@anthropic-ai/sdk';
import { incomplete } from './answer-faults.ts';
import { AnswerInProgress } from './anthropic-answer.ts';
import { droppingThinking, dropsThinking, isUnboundThinking, withDroppedThinking } from './anthropic-bound-thinking.ts';
import { errorIn, modelErrorOf } from './anthropic-faults.ts';
import { toWireRequest, type WireRequest } from './anthropic-request.ts';
import { ThreadCall } from './anthropic-thread-call.ts';
import type { ProviderFacts } from './classify.ts';
import { lazily } from './lazily.ts';
import type { ModelAdapter, ModelRequest } from './model-adapter.ts';
import { type AnswerReader, adapterWithoutKey, streamAnswer } from './stream-answer.ts';

const DEFAULT_BASE_URL = 'https://api.anthropic.com';
const KEY_VARIABLE = 'ANTHROPIC_API_KEY';

/** Where and as whom the adapter calls. The environment is not read for either. */
export interface AnthropicOptions {
  readonly apiKey?: string;
  /** Default `https://api.anthropic.com`. */
  readonly baseUrl?: string;
}

/** A client for a service that answers the Messages API. */
export interface MessagesClient {
  readonly client: { readonly messages: Pick<Anthropic.Messages, 'create'> };
  /** Of the SDK that the client is built on, which may be another copy than ours. */
  readonly APIError: typeof Anthropic.APIError;
}

/** A service that answers the Messages API. */
export interface MessagesService extends Omit<ProviderFacts, 'model'> {
  /** Makes what a conversation that the service holds is known by; undefined where it holds none. */
  readonly threadSecret?: string;
  /** Called again at the next request where it rejects. Throws ModelError for what a person must mend. */
  connect(): Promise<MessagesClient>;
}

/** What a client may not do, wherever it calls: retries are Temporal's, and its log would repeat our errors. */
export const CLIENT_OPTIONS = { maxRetries: 0, logLevel: 'off' } as const;

/** The adapter for models of Anthropic. Without a key it can be made, and each request fails with `auth`. */
export function createAnthropicAdapter({ apiKey, baseUrl }: AnthropicOptions): ModelAdapter {
  if (apiKey === undefined || apiKey === '') return adapterWithoutKey(KEY_VARIABLE);
  return createMessagesAdapter({
    provider: 'Anthropic',
    keyVariable: KEY_VARIABLE,
    secrets: [apiKey],
    threadSecret: apiKey,
    async connect() {
      const { Anthropic } = await import('@anthropic-ai/sdk');
      const client = new Anthropic({ ...CLIENT_OPTIONS, apiKey, baseURL: baseUrl ?? DEFAULT_BASE_URL });
      return { client, APIError: Anthropic.APIError };
    },
  });
}

/** The adapter for models of a service. */
export function createMessagesAdapter({ threadSecret, connect, ...service }: MessagesService): ModelAdapter {
  const connected = lazily(connect);
  return {
    prepare: connected,
    stream(request, signal) {
      const isHeld = request.providerThread && threadSecret !== undefined;
      const thread = isHeld ? new ThreadCall(request, threadSecret) : undefined;
      const facts = { ...service, model: request.model };
      const call: Call = { request, facts, thread, isDropping: dropsThinking(request.messages) };
      const send = (sending: AbortSignal) => post(connected, call, sending);
      const reader = readerOf(call);
      return streamAnswer({ facts, reader: thread?.reader(reader) ?? reader, send, errorIn }, signal);
    },
  };
}

function readerOf(call: Call): AnswerReader {
  const progress = new AnswerInProgress(call.facts.model);
  return {
    take({ type, data }) {
      const said = progress.take(type, data);
      return [call.isDropping ? withDroppedThinking(said) : said];
    },
    end: () => {
      throw incomplete('The answer broke off before its end.');
    },
  };
}

interface Call {
  readonly request: ModelRequest;
  readonly facts: ProviderFacts;
  /** Where the service may hold the conversation. */
  readonly thread: ThreadCall | undefined;
  /** The service is to leave out thinking that no longer fits what stands before it. */
  isDropping: boolean;
}

/** The response to a call, asked for once more where only the thread was refused, or thinking of old. */
async function post(connected: () => Promise<MessagesClient>, call: Call, signal: AbortSignal): Promise<Response> {
  const { request, facts, thread } = call;
  let wire: MessagesClient | undefined;
  for (;;) {
    const asked = thread?.wireRequest() ?? toWireRequest(request);
    try {
      wire ??= await connected();
      return await postOnce(wire, call.isDropping ? droppingThinking(asked) : asked, signal);
    } catch (error) {
      if (thread?.goesOnAfter(error)) continue;
      if (call.isDropping || !isUnboundThinking(error)) throw modelErrorOf(error, wire?.APIError, facts);
      call.isDropping = true;
    }
  }
}

/** The response to a streaming request, which no number of output tokens makes the SDK refuse. */
async function postOnce(wire: MessagesClient, asked: WireRequest, signal: AbortSignal): Promise<Response> {
  const { betas, ...body } = asked as WireRequest & { betas?: unknown };
  const headers = Array.isArray(betas) ? { 'anthropic-beta': betas.join(',') } : undefined;
  const params = body as unknown as Anthropic.MessageCreateParamsStreaming;
  return wire.client.messages.create(params, { signal, headers }).asResponse();
}
