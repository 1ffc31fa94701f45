import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { collect, failureOf, NEVER, REQUEST } from '../../test/adapters/contract-asks.ts';
import { foundryWire } from '../../test/fake-claude-clouds/foundry.ts';
import { frames, startWireFake, type WireFake } from '../../test/fake-openai-api/wire-fake.ts';
import { createFoundryAdapter, type FoundryOptions } from './anthropic-foundry.ts';
import type { ModelRequest } from './model-adapter.ts';

const KEY = 'marker-key-of-azure-123';
const TOKEN = 'eyJ0eXAiOiJKV1Qi.eyJhdWQiOiJtYXJrZXIi.c2lnbmF0dXJl';
const ANSWER = frames(
  { type: 'message_start', message: { model: 'claude-1', content: [] } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  { type: 'message_stop' },
);

let fake: WireFake;

beforeEach(async () => {
  fake = await startWireFake(foundryWire);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await fake.close();
});

function ask(options: FoundryOptions = { apiKey: KEY }, request: Partial<ModelRequest> = {}) {
  const adapter = createFoundryAdapter({ baseUrl: `${fake.url}/anthropic`, ...options });
  return collect(adapter.stream({ ...REQUEST, ...request }, NEVER));
}

describe('a request to Foundry', () => {
  it('names the deployment as its model, and no thread', async () => {
    fake.answer({ sse: ANSWER });
    await ask({ apiKey: KEY }, { model: 'my-deployment', providerThread: true });
    expect(fake.rejections).toEqual([]);
    expect(fake.requests[0]?.headers['x-api-key']).toBe(KEY);
    expect(fake.requests[0]?.body).toMatchObject({ model: 'my-deployment', stream: true });
    expect(fake.requests[0]?.body).not.toHaveProperty('thread');
  });

  it('has a fresh token of Entra’s each time, and not the key of the environment', async () => {
    vi.stubEnv('ANTHROPIC_FOUNDRY_API_KEY', 'other-key');
    const tokenProvider = vi.fn(async () => TOKEN);
    fake.answer({ sse: ANSWER }, { sse: ANSWER });
    const adapter = createFoundryAdapter({ baseUrl: `${fake.url}/anthropic`, tokenProvider });
    for (const _ of [1, 2]) await collect(adapter.stream(REQUEST, NEVER));
    expect(fake.rejections).toEqual([]);
    expect(fake.requests[1]?.headers).toMatchObject({ authorization: `Bearer ${TOKEN}` });
    expect(tokenProvider).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['that finds nothing', new Error('No identity on this machine.'), 'auth', false],
    ['whose service is down', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'connection', true],
  ] as const)('with a token provider %s is not sent', async (_, error, kind, retryable) => {
    const failure = await failureOf(ask({ tokenProvider: () => Promise.reject(error) }));
    expect(failure).toMatchObject({ kind, retryable });
    expect(String(failure)).toContain(`No credentials for Foundry: ${error.message}`);
    expect(fake.requests).toHaveLength(0);
  });

  it.each([undefined, ''])('without an address (%j) is refused before it is sent', async (resource) => {
    vi.stubEnv('ANTHROPIC_FOUNDRY_RESOURCE', 'other');
    const message = 'ANTHROPIC_FOUNDRY_RESOURCE is not set: it names the resource of Azure to ask.';
    const failure = await failureOf(ask({ apiKey: KEY, baseUrl: undefined, resource }));
    expect(failure).toMatchObject({ kind: 'not_found', retryable: false, message });
  });

  it('goes to the resource, or to an address of one’s own', async () => {
    await createFoundryAdapter({ apiKey: KEY, resource: 'some' }).prepare?.();
    fake.answer({ sse: ANSWER });
    await ask({ apiKey: KEY, resource: 'some' });
    expect(fake.requests).toHaveLength(1);
  });
});

describe('a failing status of Foundry’s', () => {
  it.each([
    [401, { error: { code: '401', message: `Access denied for ${KEY}.` } }, 'auth', false],
    [401, { statusCode: 401, message: `Access denied for Bearer ${TOKEN}.` }, 'auth', false],
    [404, { error: { code: 'DeploymentNotFound', message: 'No such deployment.' } }, 'not_found', false],
    [429, { error: { type: 'rate_limit_error', message: 'Slow.' } }, 'rate_limited', true],
    [529, { type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } }, 'overloaded', true],
  ] as const)('%i is asked once, and tells all but the key: %j', async (status, body, kind, retryable) => {
    fake.answer({ status, body, headers: { 'apim-request-id': 'azure-7' } });
    const failure = await failureOf(ask());
    expect(failure).toMatchObject({ kind, retryable, status });
    expect(String(failure)).toMatch(/(denied|deployment|Slow|Busy).*\[request azure-7\]/);
    expect(String(failure)).not.toMatch(/marker|eyJ/);
    expect(fake.requests).toHaveLength(1);
  });
});
