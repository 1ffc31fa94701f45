// The providers that a worker serves, by the first part of a model's name.

import type { AdapterFactories } from './adapters/by-name.ts';
import { type ModelAdapter, ModelError } from './adapters/model-adapter.ts';
import type { Config, Endpoint } from './config.ts';

/** How to make each provider's adapter. Its module is loaded when a run first uses it. */
export function adaptersOf({ providers }: Config): AdapterFactories {
  const { anthropic, bedrock, vertex, foundry, openai, google, deepseek } = providers;
  return {
    anthropic: async () => (await import('./adapters/anthropic.ts')).createAnthropicAdapter(anthropic),
    bedrock: async () => (await import('./adapters/anthropic-bedrock.ts')).createBedrockAdapter(bedrock),
    vertex: async () => (await import('./adapters/anthropic-vertex.ts')).createVertexAdapter(vertex),
    foundry: async () => (await import('./adapters/anthropic-foundry.ts')).createFoundryAdapter(foundry),
    openai: async () => (await import('./adapters/openai.ts')).createOpenAiAdapter(openai),
    google: async () => (await import('./adapters/google.ts')).createGoogleAdapter(google),
    deepseek: () => chatAdapter('deepseek', deepseek, 'DEEPSEEK_API_KEY'),
    'openai-compatible': () => chatAdapter('openai-compatible', providers['openai-compatible']),
    demo: async () => (await import('./adapters/demo.ts')).createDemoAdapter(),
  };
}

async function chatAdapter(
  provider: string,
  { baseUrl, apiKey }: Endpoint,
  keyVariable?: string,
): Promise<ModelAdapter> {
  if (baseUrl === undefined) {
    throw new ModelError('not_found', 'OPENAI_COMPATIBLE_BASE_URL is not set: it names the server to ask', {
      retryable: false,
    });
  }
  const { createOpenAiCompatibleAdapter } = await import('./adapters/openai-compatible.ts');
  return createOpenAiCompatibleAdapter({ provider, baseUrl, apiKey, keyVariable });
}
