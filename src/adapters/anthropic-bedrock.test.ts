import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { collect, failureOf, NEVER, REQUEST } from '../../test/adapters/contract-asks.ts';
import { bedrockWire, eventStreamOf } from '../../test/fake-claude-clouds/bedrock.ts';
import { eventFrame } from '../../test/fake-claude-clouds/event-stream.ts';
import { frames, startWireFake, type Wire, type WireFake } from '../../test/fake-openai-api/wire-fake.ts';
import { type BedrockOptions, createBedrockAdapter } from './anthropic-bedrock.ts';
import type { ModelRequest } from './model-adapter.ts';

const KEYS = { accessKeyId: 'AKIAEXAMPLE123456789', secretAccessKey: 'secret/of+aws/marker-123' };
const TOKEN = 'session/marker-token+123==';
const START = frames({ type: 'message_start', message: { model: 'claude-1', content: [] } });
const STOP = frames({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' });
const CONTENT_TYPE = 'application/vnd.amazon.eventstream';

let fake: WireFake;

beforeEach(async () => {
  // No credentials of the machine that runs the tests.
  for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/nowhere');
  for (const name of ['AWS_PROFILE', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_WEB_IDENTITY_TOKEN_FILE']) {
    vi.stubEnv(name, undefined);
  }
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  fake = await startWireFake(bedrockWire);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await fake.close();
});

function ask(options: BedrockOptions = KEYS, request: Partial<ModelRequest> = {}, signal = NEVER) {
  const adapter = createBedrockAdapter({ region: 'us-east-1', baseUrl: fake.url, ...options });
  return collect(adapter.stream({ ...REQUEST, ...request }, signal));
}

describe('a request to Bedrock', () => {
  it.each([
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc',
  ])('names the model in its path, and no stream and no thread in its body: %s', async (model) => {
    fake.answer({ sse: START + STOP });
    await ask(KEYS, { model, providerThread: true, modelOptions: { betas: ['a', 'b'] } });
    expect(fake.rejections).toEqual([]);
    expect(fake.requests[0]?.path).toBe(
      `/model/${encodeURIComponent(model).replaceAll('%3A', ':')}/invoke-with-response-stream`,
    );
    expect(fake.requests[0]?.body).toMatchObject({ anthropic_beta: ['a', 'b'], max_tokens: 64_000 });
    expect(fake.requests[0]?.body).not.toHaveProperty('thread');
  });

  it('is signed with the keys that it was given, whatever the environment says', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'OTHER');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'other');
    vi.stubEnv('AWS_BEARER_TOKEN_BEDROCK', 'other');
    fake.answer({ sse: START + STOP });
    await ask({ ...KEYS, sessionToken: TOKEN });
    expect(fake.rejections).toEqual([]);
    expect(fake.requests[0]?.headers).toMatchObject({
      authorization: expect.stringContaining(`Credential=${KEYS.accessKeyId}/`),
      'x-amz-security-token': TOKEN,
    });
  });

  it('is signed with the keys of a profile, where it was given none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-aws-'));
    const file = join(folder, 'credentials');
    writeFileSync(file, '[some]\naws_access_key_id = AKIAPROFILE\naws_secret_access_key = marker-of-a-file\n');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', file);
    vi.stubEnv('AWS_PROFILE', 'some');
    fake.answer({ sse: START + STOP });
    await ask({});
    rmSync(folder, { recursive: true });
    expect(fake.rejections).toEqual([]);
    expect(fake.requests[0]?.headers.authorization).toContain('Credential=AKIAPROFILE/');
  });

  it.each([{}, { apiKey: '' }, { accessKeyId: KEYS.accessKeyId }])(
    'without credentials (%j) is refused before it is sent',
    async (options) => {
      const failure = await failureOf(ask(options));
      expect(failure).toMatchObject({ kind: 'auth', retryable: false });
      expect(String(failure)).toMatch(/No credentials for Bedrock: .*AWS_BEARER_TOKEN_BEDROCK/);
      expect(fake.requests).toHaveLength(0);
    },
  );

  it.each([undefined, ''])('without a region (%j) is refused before it is sent', async (region) => {
    const message = 'AWS_REGION is not set: it names the region of AWS to ask.';
    expect(await failureOf(ask({ ...KEYS, region }))).toMatchObject({ kind: 'not_found', retryable: false, message });
    expect(fake.requests).toHaveLength(0);
  });

  it('is given up with an abort while credentials are looked for', async () => {
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`);
    const controller = new AbortController();
    const failure = failureOf(ask({}, {}, controller.signal));
    await once(silent, 'request');
    controller.abort();
    expect(await failure).toMatchObject({ kind: 'user_cancelled' });
    silent.closeAllConnections();
    silent.close();
  });
});

describe('an answer of Bedrock’s that breaks off', () => {
  it.each([
    ['internalServerException', 'server_error', true],
    ['modelStreamErrorException', 'server_error', true],
    ['modelTimeoutException', 'timeout', true],
    ['serviceUnavailableException', 'overloaded', true],
    ['throttlingException', 'rate_limited', true],
    ['validationException', 'invalid_request', false],
    ['exceptionOfTomorrowException', 'server_error', true],
  ] as const)('with %s is %s, retryable: %s', async (type, kind, retryable) => {
    fake.answer({ sse: START + frames({ type, message: 'Made up.' }) });
    const failure = await failureOf(ask());
    expect(failure).toMatchObject({ kind, retryable, status: undefined });
    expect(String(failure)).toContain('Made up.');
    expect(fake.requests).toHaveLength(1);
  });

  it('with an overflow is one', async () => {
    fake.answer({ sse: frames({ type: 'validationException', message: 'Input is too long for requested model.' }) });
    expect(await failureOf(ask())).toMatchObject({ kind: 'context_overflow', retryable: false });
  });

  it.each([
    ['in the middle of a frame', (whole: Buffer) => whole.subarray(0, -3), 'connection'],
    ['after a whole frame', () => eventStreamOf(START), 'stream_incomplete'],
    ['with a frame that was damaged', (whole: Buffer) => withChangedByte(whole), 'connection'],
    ['with a plain error', () => Buffer.concat([eventStreamOf(START), ERROR]), 'overloaded'],
  ] as const)('%s is worth another attempt', async (_, change, kind) => {
    const bytes = (sse: string) => change(eventStreamOf(sse));
    const wire: Wire = { ...bedrockWire, framing: { contentType: CONTENT_TYPE, bytes } };
    const broken = await startWireFake(wire, { sse: START + STOP });
    const failure = await failureOf(ask({ ...KEYS, baseUrl: broken.url }));
    await broken.close();
    expect(failure).toMatchObject({ kind, retryable: true });
  });
});

const ERROR = eventFrame(
  { ':message-type': 'error', ':error-code': 'ServiceUnavailableException', ':error-message': 'Busy.' },
  '',
);

function withChangedByte(whole: Buffer): Buffer {
  const changed = Buffer.from(whole);
  changed[40] = (changed[40] ?? 0) ^ 1;
  return changed;
}

describe('a failing status of Bedrock’s', () => {
  it.each([
    [400, 'ValidationException', 'invalid_request', false],
    [400, 'ServiceQuotaExceededException', 'rate_limited', true],
    [403, 'AccessDeniedException', 'permission', false],
    [403, 'ExpiredTokenException', 'auth', false],
    [403, 'UnrecognizedClientException', 'auth', false],
    [404, 'ResourceNotFoundException', 'not_found', false],
    [408, 'ModelTimeoutException', 'timeout', true],
    [424, 'ModelErrorException', 'server_error', true],
    [429, 'ThrottlingException', 'rate_limited', true],
    [429, 'ModelNotReadyException', 'rate_limited', true],
    [500, 'InternalServerException', 'server_error', true],
    [503, 'ServiceUnavailableException', 'overloaded', true],
  ] as const)('%i with %s is %s, retryable: %s', async (status, type, kind, retryable) => {
    const headers = { 'x-amzn-errortype': `${type}:http://internal.amazon.com/`, 'x-amzn-requestid': 'aws-7' };
    fake.answer({ status, body: { message: 'Made up.' }, headers: { ...headers, 'retry-after': '3' } });
    const failure = await failureOf(ask());
    expect(failure).toMatchObject({ kind, retryable, status, retryAfterMs: 3_000 });
    expect(String(failure)).toMatch(
      new RegExp(`Bedrock answered ${status} \\(${type}\\): Made up\\..*\\[request aws-7\\]`),
    );
    expect(fake.requests).toHaveLength(1);
  });

  it('shows none of the secrets that it quotes, known or not', async () => {
    const unknown = 'x-amz-security-token:IQoJb3JpZ2luX2marker//ASIAMARKER1234567890';
    const message = `Signature of ${KEYS.accessKeyId}, ${KEYS.secretAccessKey}, ${TOKEN} does not match. ${unknown}`;
    fake.answer({ status: 403, body: { Message: message } });
    const failure = await failureOf(ask({ ...KEYS, sessionToken: TOKEN }));
    expect(String(failure)).toContain('Bedrock answered 403: Signature of [key], [key], [key] does not match.');
    expect(String(failure)).not.toMatch(/marker|AKIA|ASIA/i);
  });
});
