import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { collect, failureOf, NEVER, REQUEST } from '../../test/adapters/contract-asks.ts';
import { type GoogleCredentials, startGoogleCredentials } from '../../test/fake-claude-clouds/google-credentials.ts';
import { vertexWire } from '../../test/fake-claude-clouds/vertex.ts';
import { frames, startWireFake, type WireFake } from '../../test/fake-openai-api/wire-fake.ts';
import { createVertexAdapter, type VertexOptions } from './anthropic-vertex.ts';
import type { ModelAdapter, ModelRequest } from './model-adapter.ts';

const TOKEN = 'ya29.c.marker-token_123';
const ANSWER = frames(
  { type: 'message_start', message: { model: 'claude-1', content: [] } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  { type: 'message_stop' },
);

let fake: WireFake;
let credentials: GoogleCredentials | undefined;

beforeEach(async () => {
  // No credentials of the machine that runs the tests.
  vi.stubEnv('HOME', '/nowhere');
  vi.stubEnv('METADATA_SERVER_DETECTION', 'none');
  for (const name of ['GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_CLOUD_PROJECT', 'CLOUDSDK_CONFIG']) {
    vi.stubEnv(name, undefined);
  }
  fake = await startWireFake(vertexWire);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await fake.close();
  await credentials?.close();
  credentials = undefined;
});

/** Puts credentials where Google's client looks for them. */
async function withCredentials(...service: Parameters<typeof startGoogleCredentials>): Promise<GoogleCredentials> {
  credentials = await startGoogleCredentials(...service);
  for (const [name, value] of Object.entries(credentials.env)) vi.stubEnv(name, value);
  return credentials;
}

function adapterFor(options: VertexOptions = {}): ModelAdapter {
  return createVertexAdapter({ region: 'us-east5', projectId: 'some-project', baseUrl: `${fake.url}/v1`, ...options });
}

function ask(adapter = adapterFor(), request: Partial<ModelRequest> = {}) {
  return collect(adapter.stream({ ...REQUEST, ...request }, NEVER));
}

describe('a request to Vertex AI', () => {
  it('names project, region and model in its path, and no thread in its body', async () => {
    await withCredentials(TOKEN);
    fake.answer({ sse: ANSWER });
    const modelOptions = { betas: ['a', 'b'] };
    await ask(adapterFor(), { model: 'claude-sonnet-4-5@20250929', providerThread: true, modelOptions });
    expect(fake.rejections).toEqual([]);
    expect(fake.requests[0]?.path).toContain(
      '/some-project/locations/us-east5/publishers/anthropic/models/claude-sonn',
    );
    expect(fake.requests[0]?.headers['anthropic-beta']).toBe('a,b');
    expect(fake.requests[0]?.body).not.toHaveProperty('thread');
  });

  it('has the token of Google’s default credentials, which is asked for once', async () => {
    const { exchanges } = await withCredentials(TOKEN);
    const adapter = adapterFor();
    await adapter.prepare?.();
    fake.answer({ sse: ANSWER }, { sse: ANSWER });
    await ask(adapter);
    await ask(adapter);
    expect(fake.rejections).toEqual([]);
    expect(fake.requests[1]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(exchanges()).toBe(1);
  });

  it('goes to the project of the credentials where no other is named', async () => {
    const given = {
      projectId: 'some-project',
      getRequestHeaders: async () => new Headers({ authorization: 'Bearer x' }),
    };
    fake.answer({ sse: ANSWER });
    await ask(adapterFor({ projectId: undefined, authClient: given as unknown as VertexOptions['authClient'] }));
    expect(fake.rejections).toEqual([]);
  });

  it('without a project is refused before it is sent', async () => {
    await withCredentials(TOKEN);
    vi.stubEnv('ANTHROPIC_VERTEX_PROJECT_ID', 'other');
    const failure = await failureOf(ask(adapterFor({ projectId: undefined })));
    expect(failure).toMatchObject({ kind: 'auth', retryable: false });
    expect(String(failure)).toContain('ANTHROPIC_VERTEX_PROJECT_ID');
    expect(fake.requests).toHaveLength(0);
  });

  it.each([undefined, ''])('without a region (%j) is refused before it is sent', async (region) => {
    const message = 'CLOUD_ML_REGION is not set: it names the region of Google Cloud to ask.';
    const failure = await failureOf(ask(adapterFor({ region })));
    expect(failure).toMatchObject({ kind: 'not_found', retryable: false, message });
  });

  it.each([undefined, '/nowhere.json'])('without credentials (%j) is refused before it is sent', async (file) => {
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file);
    const failure = await failureOf(ask());
    expect(failure).toMatchObject({ kind: 'auth', retryable: false });
    expect(String(failure)).toMatch(/No credentials for Vertex AI: .*GOOGLE_APPLICATION_CREDENTIALS/);
    expect(fake.requests).toHaveLength(0);
  });

  it('whose credentials are mended after it failed is sent by the same adapter', async () => {
    const adapter = adapterFor();
    await expect(adapter.prepare?.()).rejects.toThrow('No credentials');
    expect(await failureOf(ask(adapter))).toMatchObject({ kind: 'auth' });
    await withCredentials(TOKEN);
    fake.answer({ sse: ANSWER });
    await ask(adapter);
    expect(fake.rejections).toEqual([]);
  });

  it('whose token is refused is not worth another attempt', async () => {
    const refused = JSON.stringify({ error: 'invalid_grant', error_description: 'The subject token has expired.' });
    await withCredentials(TOKEN, (response) => {
      response.writeHead(400, { 'content-type': 'application/json' }).end(refused);
    });
    const failure = await failureOf(ask());
    expect(failure).toMatchObject({ kind: 'auth', retryable: false });
    expect(String(failure)).toContain('The subject token has expired.');
  });

  it('whose token service is down is worth another attempt', async () => {
    await withCredentials(TOKEN, (response) => response.socket?.resetAndDestroy());
    expect(await failureOf(ask())).toMatchObject({ kind: 'connection', retryable: true });
    expect(fake.requests).toHaveLength(0);
  });
});

describe('a failing status of Vertex AI’s', () => {
  it.each([
    [400, 'FAILED_PRECONDITION', 'permission', false],
    [401, 'UNAUTHENTICATED', 'auth', false],
    [403, 'PERMISSION_DENIED', 'permission', false],
    [404, 'NOT_FOUND', 'not_found', false],
    [429, 'RESOURCE_EXHAUSTED', 'rate_limited', true],
    [500, 'INTERNAL', 'server_error', true],
    [503, 'UNAVAILABLE', 'overloaded', true],
  ] as const)('%i with %s is %s, retryable: %s, in a list too', async (status, type, kind, retryable) => {
    await withCredentials(TOKEN);
    const body = { error: { code: status, message: `Made up ${TOKEN}.`, status: type } };
    const adapter = adapterFor();
    fake.answer({ status, body, headers: { 'retry-after': '3' } }, { status, body: [body] });
    for (const retryAfterMs of [3_000, undefined]) {
      const failure = await failureOf(ask(adapter));
      expect(failure).toMatchObject({ kind, retryable, status, retryAfterMs });
      expect(String(failure)).toContain(`Vertex AI answered ${status} (${type}): Made up [key]`);
    }
    expect(fake.requests).toHaveLength(2);
  });
});
