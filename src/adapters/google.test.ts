// What only this wire has; everything else is in contract.test.ts.

import { ApiError } from '@google/genai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { geminiWire } from '../../test/fake-google-api/gemini.ts';
import { frames, startWireFake, type WireAnswer, type WireFake } from '../../test/fake-openai-api/wire-fake.ts';
import { createGoogleAdapter } from './google.ts';
import type { ModelEvent, ModelRequest } from './model-adapter.ts';

const KEY = 'AIzaMarkerKey';
const REQUEST: ModelRequest = {
  model: 'gemini-x',
  instructions: '',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  maxOutputTokens: 100,
};

let fake: WireFake;

beforeEach(async () => {
  fake = await startWireFake(geminiWire);
});

afterEach(() => fake.close());

async function ask(request: Partial<ModelRequest> = {}): Promise<ModelEvent[]> {
  const adapter = createGoogleAdapter({ apiKey: KEY, baseUrl: fake.url });
  const events: ModelEvent[] = [];
  for await (const event of adapter.stream({ ...REQUEST, ...request }, new AbortController().signal))
    events.push(event);
  return events;
}

function failing(code: number, status: string, ...details: readonly object[]): WireAnswer {
  return { status: code, body: { error: { code, message: `Made up ${KEY}.`, status, details } } };
}

describe('an error of the SDK', () => {
  it.each([
    [400, 'INVALID_ARGUMENT', 'invalid_request', false],
    [400, 'FAILED_PRECONDITION', 'permission', false],
    [401, 'UNAUTHENTICATED', 'auth', false],
    [403, 'PERMISSION_DENIED', 'permission', false],
    [404, 'NOT_FOUND', 'not_found', false],
    [429, 'RESOURCE_EXHAUSTED', 'rate_limited', true],
    [500, 'INTERNAL', 'server_error', true],
    [503, 'UNAVAILABLE', 'overloaded', true],
    [504, 'DEADLINE_EXCEEDED', 'timeout', true],
  ] as const)('for %i %s is an ApiError, and %s', async (code, status, kind, retryable) => {
    fake.answer(failing(code, status));
    const error = await ask().catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ kind, retryable, status: code, cause: expect.any(ApiError) });
    expect(String(error)).toContain(`Gemini answered ${code} (${status}): Made up [key].`);
    expect(fake.requests).toHaveLength(1);
  });

  it('for a key that is none says which to check', async () => {
    fake.answer(failing(400, 'INVALID_ARGUMENT', { '@type': 'x/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }));
    await expect(ask()).rejects.toMatchObject({
      kind: 'auth',
      retryable: false,
      message: expect.stringContaining('Check GEMINI_API_KEY.'),
    });
  });

  it('says how long to wait, where the body does', async () => {
    fake.answer(failing(429, 'RESOURCE_EXHAUSTED', { '@type': 'x/google.rpc.RetryInfo', retryDelay: '34.5s' }));
    await expect(ask()).rejects.toMatchObject({ kind: 'rate_limited', retryAfterMs: 34_500 });
  });

  it('inside a stream is told by its status, and says how long to wait', async () => {
    const info = { '@type': 'x/google.rpc.ErrorInfo', reason: 'RATE_LIMIT_EXCEEDED' };
    const wait = { '@type': 'x/google.rpc.RetryInfo', retryDelay: '34.5s' };
    const error = { code: 429, message: 'Slow.', status: 'RESOURCE_EXHAUSTED', details: [info, wait] };
    fake.answer({ sse: frames({ error }) });
    await expect(ask()).rejects.toMatchObject({ kind: 'rate_limited', retryable: true, retryAfterMs: 34_500 });
  });

  it.each([
    [[{ error: { code: 400, message: 'Made up.', status: 'INVALID_ARGUMENT' } }], 'Made up.'],
    [{ odd: true }, '{"odd":true}'],
    ['null', 'null'],
  ])('is told whatever the form of its body: %j', async (body, words) => {
    fake.answer({ status: 400, body });
    await expect(ask()).rejects.toMatchObject({ kind: 'invalid_request', message: expect.stringContaining(words) });
  });
});

describe('a request', () => {
  it('goes to the streaming endpoint of its model, with the key in a header', async () => {
    fake.answer({ sse: frames({ candidates: [{ finishReason: 'STOP' }] }) });
    await ask();
    expect(fake.requests[0]?.path).toBe('/v1beta/models/gemini-x:streamGenerateContent?alt=sse');
    expect(fake.requests[0]?.headers['x-goog-api-key']).toBe(KEY);
  });

  it('keeps what the SDK does not know', async () => {
    fake.answer({ sse: frames({ candidates: [{ finishReason: 'STOP' }] }) });
    const part = { partOfTomorrow: 1 };
    const content = [{ type: 'opaque' as const, provider: 'google', value: part }];
    const messages = [...REQUEST.messages, { role: 'assistant' as const, content }, ...REQUEST.messages];
    await ask({ messages, modelOptions: { fieldOfTomorrow: 1 } });
    expect(fake.requests[0]?.body).toMatchObject({ fieldOfTomorrow: 1 });
    expect(fake.requests[0]?.body['contents']).toEqual([
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [part] },
      { role: 'user', parts: [{ text: 'hi' }] },
    ]);
  });
});

describe('an answer', () => {
  it('that the service would continue is not asked for again', async () => {
    fake.answer({ sse: frames({ candidates: [{ continuationToken: 'x', finishReason: 'CONTINUATION' }] }) });
    await expect(ask()).rejects.toMatchObject({ kind: 'unknown_stop_reason' });
    expect(fake.requests).toHaveLength(1);
  });
});
