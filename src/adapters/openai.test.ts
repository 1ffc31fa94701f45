// What only this wire has; everything else is in contract.test.ts.

import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { responsesWire } from '../../test/fake-openai-api/responses.ts';
import { frames, startWireFake, type WireFake } from '../../test/fake-openai-api/wire-fake.ts';
import type { ModelEvent, ModelRequest } from './model-adapter.ts';
import { createOpenAiAdapter } from './openai.ts';

const REQUEST: ModelRequest = {
  model: 'gpt-x',
  instructions: '',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  maxOutputTokens: 100,
};

let fake: WireFake;

beforeEach(async () => {
  fake = await startWireFake(responsesWire);
});

afterEach(() => fake.close());

async function ask(): Promise<ModelEvent[]> {
  const adapter = createOpenAiAdapter({ apiKey: 'sk-marker-key', baseUrl: `${fake.url}/v1` });
  const events: ModelEvent[] = [];
  for await (const event of adapter.stream(REQUEST, new AbortController().signal)) events.push(event);
  return events;
}

async function failure(): Promise<Error> {
  return ask().then(
    () => expect.fail('nothing was thrown'),
    (error: unknown) => error as Error,
  );
}

describe('an error of the SDK', () => {
  it.each([
    [400, OpenAI.BadRequestError, 'invalid_request'],
    [401, OpenAI.AuthenticationError, 'auth'],
    [403, OpenAI.PermissionDeniedError, 'permission'],
    [404, OpenAI.NotFoundError, 'not_found'],
    [409, OpenAI.ConflictError, 'server_error'],
    [418, OpenAI.APIError, 'invalid_request'],
    [422, OpenAI.UnprocessableEntityError, 'invalid_request'],
    [429, OpenAI.RateLimitError, 'rate_limited'],
    [500, OpenAI.InternalServerError, 'server_error'],
  ] as const)('for a %i is %o, and %s', async (status, kindOfError, kind) => {
    fake.answer({ status, body: responsesWire.toError(status, 'Made up.') });
    const error = await failure();
    expect(error.cause).toBeInstanceOf(kindOfError);
    expect(error).toMatchObject({ kind, message: expect.stringContaining('Made up.') });
    expect(fake.requests).toHaveLength(1);
  });

  it('for a connection that is gone is retried', async () => {
    fake.answer({ connection: 'reset' });
    const error = await failure();
    expect(error.cause).toBeInstanceOf(OpenAI.APIConnectionError);
    expect(error).toMatchObject({ kind: 'connection', retryable: true });
  });

  it.each([
    [429, 'insufficient_quota', 'permission', 'Check plan, credit and quota.'],
    [400, 'context_length_exceeded', 'context_overflow', 'context_length_exceeded'],
    [404, 'model_not_found', 'not_found', 'gpt-x'],
    [401, 'invalid_api_key', 'auth', 'OPENAI_API_KEY'],
  ])('of %i and the code %s ends the run, with what to mend', async (status, code, kind, words) => {
    fake.answer({ status, body: { error: { message: 'Made up.', type: 'some_error', code } } });
    expect(await failure()).toMatchObject({ kind, retryable: false, message: expect.stringContaining(words) });
  });
});

describe('a response that fails in mid-stream', () => {
  it.each([
    [{ type: 'error', code: 'rate_limit_exceeded', message: 'Slow.', param: null }, 'rate_limited', true],
    [{ type: 'error', error: { type: 'server_error', code: null, message: 'Slow.' } }, 'server_error', true],
    [
      { type: 'response.failed', response: { error: { code: 'server_error', message: 'Slow.' } } },
      'server_error',
      true,
    ],
    [
      { type: 'response.failed', response: { error: { code: 'invalid_prompt', message: 'Slow.' } } },
      'invalid_request',
      false,
    ],
    [{ type: 'response.failed', response: { error: null } }, 'server_error', true],
  ] as const)('%j is told by its code', async (event, kind, retryable) => {
    fake.answer({ sse: frames({ type: 'response.created', response: {} }, event) });
    expect(await failure()).toMatchObject({ kind, retryable, message: expect.stringContaining('req_1') });
    expect(fake.requests).toHaveLength(1);
  });
});
