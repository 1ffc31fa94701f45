// Any server that speaks OpenAI's Chat Completions: DeepSeek, OpenRouter, vLLM, Ollama and the like.

import { lazily } from './lazily.ts';
import type { ModelAdapter } from './model-adapter.ts';
import { ChatInProgress } from './openai-compatible-answer.ts';
import { toChatRequest } from './openai-compatible-request.ts';
import { connectOpenAi, openAiErrorIn, responseTo } from './openai-wire.ts';
import { adapterWithoutKey, streamAnswer } from './stream-answer.ts';

/** Where and as whom the adapter calls. The environment is not read for any of it. */
export interface OpenAiCompatibleOptions {
  /** Name of the service, such as `deepseek`: in errors, and on what only it understands of a conversation. */
  readonly provider: string;
  /** With its version, such as `https://api.deepseek.com/v1` or `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  /** A server without keys is called without one. */
  readonly apiKey?: string;
  /** The variable that holds the key, for a service that asks for one: without a key each request fails with `auth`. */
  readonly keyVariable?: string;
}

/** The adapter for one server. Without the package `openai` it can be made, and each request fails with `not_found`. */
export function createOpenAiCompatibleAdapter(options: OpenAiCompatibleOptions): ModelAdapter {
  const { provider, baseUrl, keyVariable } = options;
  const apiKey = options.apiKey === '' ? undefined : options.apiKey;
  if (apiKey === undefined && keyVariable !== undefined) return adapterWithoutKey(keyVariable);
  const connected = lazily(() => connectOpenAi(apiKey, baseUrl));
  return {
    prepare: connected,
    stream(request, signal) {
      const named = { provider, keyVariable: keyVariable ?? 'the API key', model: request.model };
      const facts = { ...named, secrets: apiKey === undefined ? [] : [apiKey] };
      const send = async (sending: AbortSignal) => {
        const body = toChatRequest(request, provider);
        const wire = await connected();
        const params = body as unknown as Parameters<typeof wire.client.chat.completions.create>[0];
        const asked = wire.client.chat.completions.create(params, { signal: sending, headers: wire.headers });
        return responseTo(wire, asked, facts);
      };
      const reader = new ChatInProgress(request.model, provider);
      return streamAnswer({ facts, reader, send, errorIn: openAiErrorIn }, signal);
    },
  };
}
