// Claude on Amazon Bedrock. The official client signs, and turns AWS's binary event stream into server-sent events.

import { CLIENT_OPTIONS, createMessagesAdapter, type MessagesClient } from './anthropic.ts';
import { searching, setting } from './anthropic-cloud.ts';
import { loadSdk } from './load-sdk.ts';
import type { ModelAdapter } from './model-adapter.ts';

const PACKAGE = { name: '@anthropic-ai/bedrock-sdk', version: '1.1.3' };

/** Where and as whom the adapter calls. */
export interface BedrockOptions {
  /** Required: requests are signed for it. */
  readonly region?: string;
  /** A key for Bedrock alone. It goes before AWS credentials. */
  readonly apiKey?: string;
  /** Without both keys the client looks for credentials where AWS's SDKs do: profiles, roles, single sign-on, metadata. */
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly sessionToken?: string;
  /** Default `https://bedrock-runtime.<region>.amazonaws.com`. */
  readonly baseUrl?: string;
}

/**
 * The adapter for models of Anthropic on Bedrock. Without a region, credentials, or the package
 * `@anthropic-ai/bedrock-sdk`, it can be made, and each request fails with `not_found` or `auth`.
 */
export function createBedrockAdapter(options: BedrockOptions): ModelAdapter {
  const { apiKey, accessKeyId, secretAccessKey, sessionToken } = options;
  return createMessagesAdapter({
    provider: 'Bedrock',
    keyVariable: 'the AWS credentials, or AWS_BEARER_TOKEN_BEDROCK',
    secrets: [apiKey, accessKeyId, secretAccessKey, sessionToken].filter((secret) => secret !== undefined),
    connect: () => connect(options),
  });
}

async function connect(options: BedrockOptions): Promise<MessagesClient> {
  const awsRegion = setting(options.region, 'AWS_REGION', 'the region of AWS to ask');
  const { AnthropicBedrock } = await loadSdk(PACKAGE, () => import('@anthropic-ai/bedrock-sdk'));
  class Client extends AnthropicBedrock {
    protected override backendMiddleware() {
      return super.backendMiddleware().map(searching);
    }
  }
  // What is not null here the client takes from the environment.
  const baseURL = options.baseUrl ?? `https://bedrock-runtime.${awsRegion}.amazonaws.com`;
  const where = { ...CLIENT_OPTIONS, awsRegion, baseURL, apiKey: options.apiKey ?? null };
  const { accessKeyId: awsAccessKey, secretAccessKey: awsSecretKey, sessionToken: awsSessionToken } = options;
  const isGiven = awsAccessKey !== undefined && awsSecretKey !== undefined;
  const client = isGiven ? new Client({ ...where, awsAccessKey, awsSecretKey, awsSessionToken }) : new Client(where);
  return { client, APIError: AnthropicBedrock.APIError };
}
