// Claude on Google Vertex AI. The official client finds Google's application default credentials.

import type { ClientOptions } from '@anthropic-ai/vertex-sdk/client';
import { CLIENT_OPTIONS, createMessagesAdapter, type MessagesClient } from './anthropic.ts';
import { foundIn, searching, setting } from './anthropic-cloud.ts';
import { loadSdk } from './load-sdk.ts';
import type { ModelAdapter } from './model-adapter.ts';

const PACKAGE = { name: '@anthropic-ai/vertex-sdk', version: '1.1.3' };

/** Where and as whom the adapter calls. */
export interface VertexOptions {
  /** Required: a region such as `us-east5`, or `global`, `us`, `eu`. */
  readonly region?: string;
  /** Default: the project of the credentials, where they have one. */
  readonly projectId?: string;
  /** With its version. Default: Google's address for the region. */
  readonly baseUrl?: string;
  /** A client of `google-auth-library`. Default: the one for Google's application default credentials. */
  readonly authClient?: ClientOptions['authClient'];
}

/**
 * The adapter for models of Anthropic on Vertex AI. Without a region, credentials, or the package
 * `@anthropic-ai/vertex-sdk`, it can be made, and each request fails with `not_found` or `auth`.
 */
export function createVertexAdapter(options: VertexOptions): ModelAdapter {
  return createMessagesAdapter({
    provider: 'Vertex AI',
    keyVariable: "Google's credentials (GOOGLE_APPLICATION_CREDENTIALS) and ANTHROPIC_VERTEX_PROJECT_ID",
    secrets: [],
    connect: () => connect(options),
  });
}

async function connect({ authClient, baseUrl, ...options }: VertexOptions): Promise<MessagesClient> {
  const region = setting(options.region, 'CLOUD_ML_REGION', 'the region of Google Cloud to ask');
  const { AnthropicVertex } = await loadSdk(PACKAGE, () => import('@anthropic-ai/vertex-sdk'));
  class Client extends AnthropicVertex {
    protected override backendMiddleware() {
      return super.backendMiddleware().map(searching);
    }
  }
  // What is not null here the client takes from the environment.
  const where = { region, projectId: options.projectId ?? null, baseURL: baseUrl ?? null };
  const client = new Client({ ...CLIENT_OPTIONS, ...where, authClient });
  // The client looks once and keeps what it finds, a failure too: only one that has found something may be kept.
  await foundIn(client['_authClientPromise']);
  return { client, APIError: AnthropicVertex.APIError };
}
