// Claude in Microsoft Foundry: the Messages API behind an address of Azure's.

import { CLIENT_OPTIONS, createMessagesAdapter, type MessagesClient } from './anthropic.ts';
import { foundIn, setting } from './anthropic-cloud.ts';
import { loadSdk } from './load-sdk.ts';
import type { ModelAdapter } from './model-adapter.ts';
import { adapterWithoutKey } from './stream-answer.ts';

const PACKAGE = { name: '@anthropic-ai/foundry-sdk', version: '1.1.1' };
const KEY_VARIABLE = 'ANTHROPIC_FOUNDRY_API_KEY';

/** Where and as whom the adapter calls. The environment is not read for any of it. */
export interface FoundryOptions {
  readonly apiKey?: string;
  /** Gives a token of Microsoft Entra for each request, such as `getBearerTokenProvider` of `@azure/identity`; no key then. */
  readonly tokenProvider?: () => Promise<string>;
  /** Name of the resource; it or `baseUrl` is required. */
  readonly resource?: string;
  /** Default `https://<resource>.services.ai.azure.com/anthropic`. */
  readonly baseUrl?: string;
}

/**
 * The adapter for models of Anthropic in Foundry; a model's name is that of its deployment. Without a key, an address, or
 * the package `@anthropic-ai/foundry-sdk`, it can be made, and each request fails with `auth` or `not_found`.
 */
export function createFoundryAdapter(options: FoundryOptions): ModelAdapter {
  const { apiKey, tokenProvider } = options;
  if ((apiKey === undefined || apiKey === '') && tokenProvider === undefined) return adapterWithoutKey(KEY_VARIABLE);
  return createMessagesAdapter({
    provider: 'Foundry',
    keyVariable: tokenProvider === undefined ? KEY_VARIABLE : 'the tokens of Microsoft Entra',
    secrets: apiKey === undefined ? [] : [apiKey],
    connect: () => connect(options),
  });
}

async function connect({ apiKey, tokenProvider, resource, baseUrl }: FoundryOptions): Promise<MessagesClient> {
  const baseURL = baseUrl ?? addressOf(setting(resource, 'ANTHROPIC_FOUNDRY_RESOURCE', 'the resource of Azure to ask'));
  const { AnthropicFoundry } = await loadSdk(PACKAGE, () => import('@anthropic-ai/foundry-sdk'));
  const credentials = tokenProvider ? { apiKey: '', azureADTokenProvider: () => foundIn(tokenProvider()) } : { apiKey };
  // What is undefined here the client takes from the environment.
  const client = new AnthropicFoundry({ ...CLIENT_OPTIONS, ...credentials, baseURL, resource: null });
  return { client, APIError: AnthropicFoundry.APIError };
}

/** https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry */
function addressOf(resource: string): string {
  return `https://${resource}.services.ai.azure.com/anthropic`;
}
