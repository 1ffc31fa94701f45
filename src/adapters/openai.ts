// OpenAI over the Responses API. The whole conversation goes with each request; nothing is stored at the provider.

import { lazily } from './lazily.ts';
import type { ModelAdapter } from './model-adapter.ts';
import { ResponseInProgress } from './openai-answer.ts';
import { toResponsesRequest } from './openai-request.ts';
import { connectOpenAi, openAiErrorIn, responseTo } from './openai-wire.ts';
import { adapterWithoutKey, streamAnswer } from './stream-answer.ts';

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';
const KEY_VARIABLE = 'OPENAI_API_KEY';

/** Where and as whom the adapter calls. The environment is not read for either. */
export interface OpenAiOptions {
  readonly apiKey?: string;
  /** Default `https://api.openai.com/v1`. */
  readonly baseUrl?: string;
}

/**
 * The adapter for models of OpenAI. Without a key, or without the package `openai`, it can be made, and each request
 * fails with `auth` or `not_found`.
 */
export function createOpenAiAdapter({ apiKey, baseUrl = DEFAULT_BASE_URL }: OpenAiOptions): ModelAdapter {
  if (apiKey === undefined || apiKey === '') return adapterWithoutKey(KEY_VARIABLE);
  const connected = lazily(() => connectOpenAi(apiKey, baseUrl));
  return {
    prepare: connected,
    stream(request, signal) {
      const facts = { provider: 'OpenAI', keyVariable: KEY_VARIABLE, secrets: [apiKey], model: request.model };
      const send = async (sending: AbortSignal) => {
        const body = toResponsesRequest(request);
        const wire = await connected();
        const params = body as unknown as Parameters<typeof wire.client.responses.create>[0];
        const asked = wire.client.responses.create(params, { signal: sending, headers: wire.headers });
        return responseTo(wire, asked, facts);
      };
      const reader = new ResponseInProgress(request.model);
      return streamAnswer({ facts, reader, send, errorIn: openAiErrorIn }, signal);
    },
  };
}
