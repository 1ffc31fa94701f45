// What only this wire has; everything else is in contract.test.ts.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chatWire } from '../../test/fake-openai-api/chat.ts';
import { frames, startWireFake, type WireFake } from '../../test/fake-openai-api/wire-fake.ts';
import type { ModelEvent, ModelRequest } from './model-adapter.ts';
import { createOpenAiCompatibleAdapter } from './openai-compatible.ts';

const REQUEST: ModelRequest = {
  model: 'm',
  instructions: '',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  maxOutputTokens: 100,
};
const DONE = frames({ choices: [{ index: 0, delta: { content: 'Hi.' }, finish_reason: 'stop' }] }, '[DONE]');

let fake: WireFake;

beforeEach(async () => {
  fake = await startWireFake(chatWire);
});

afterEach(() => fake.close());

async function ask(apiKey?: string): Promise<ModelEvent[]> {
  const adapter = createOpenAiCompatibleAdapter({ provider: 'local', baseUrl: `${fake.url}/v1`, apiKey });
  const events: ModelEvent[] = [];
  for await (const event of adapter.stream(REQUEST, new AbortController().signal)) events.push(event);
  return events;
}

describe('a server without keys', () => {
  it.each([undefined, ''])('is called without one (%j)', async (apiKey) => {
    fake.answer({ sse: DONE });
    expect((await ask(apiKey)).at(-1)).toMatchObject({ type: 'finished' });
    expect(fake.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('that asks for one after all says so', async () => {
    fake.answer({ status: 401, body: { error: { message: 'Who are you?' } } });
    await expect(ask()).rejects.toMatchObject({
      kind: 'auth',
      message: 'local answered 401: Who are you? Check the API key.',
    });
  });
});

describe('an error', () => {
  it.each([
    [{ object: 'error', message: 'Made up.', type: 'BadRequestError', code: 400 }],
    [{ detail: [{ loc: ['body'], msg: 'Made up.' }] }],
    [{ error: 'Made up.' }],
    [{ message: 'Made up.' }],
    ['Made up.'],
  ])('is told in the words of the server, whatever its form: %j', async (body) => {
    fake.answer({ status: 400, body });
    await expect(ask()).rejects.toMatchObject({
      kind: 'invalid_request',
      message: expect.stringMatching(/^local answered 400.*Made up\./),
    });
  });

  it.each([
    [{ error: { code: 502, message: 'Upstream.' } }, 'server_error'],
    [{ error: { code: 429, message: 'Slow.' } }, 'rate_limited'],
    [{ error: 'Odd.' }, 'server_error'],
  ])('inside a stream is told by its code: %j', async (chunk, kind) => {
    fake.answer({ sse: frames({ choices: [] }, chunk) });
    await expect(ask()).rejects.toMatchObject({ kind, retryable: true });
  });
});

describe('a server that thinks for long', () => {
  it('shows that it lives with comments', async () => {
    fake.answer({ sse: `: PROCESSING\n\n: PROCESSING\n\n${DONE}` });
    const events = await ask();
    expect(events.map(({ type }) => type)).toEqual(['alive', 'alive', 'text_delta', 'finished']);
  });
});
