// Thinking that stands behind other words than those after which it was written, on a fake that checks it.

import { afterEach, describe, expect, it } from 'vitest';
import {
  type FakeModelApi,
  type FakeModelApiOptions,
  startFakeModelApi,
} from '../../test/fake-model-api/fake-model-api.ts';
import { answer, call, text, thinking } from '../../test/fake-model-api/samples.ts';
import type { AssistantMessage, Message } from '../protocol/messages.ts';
import { createAnthropicAdapter } from './anthropic.ts';
import { droppingThinking, isUnboundThinking } from './anthropic-bound-thinking.ts';
import { toWireRequest } from './anthropic-request.ts';
import type { ModelEvent, ModelRequest } from './model-adapter.ts';

const SIGNAL = new AbortController().signal;
const LOOK = { name: 'look', description: 'Looks.', input_schema: { type: 'object' } };
const said = (words: string): Message => ({ role: 'user', content: [{ type: 'text', text: words }] });
const result: Message = {
  role: 'user',
  content: [{ type: 'result', callId: 'toolu_1', content: [{ type: 'text', text: 'seen' }] }],
};
const REQUEST: ModelRequest = {
  model: 'claude-fake-1',
  instructions: 'First.',
  tools: [LOOK],
  messages: [said('go')],
  maxOutputTokens: 1_000,
};
const thought = answer(thinking('hm'), text('Looking.'), call('toolu_1'));

let fake: FakeModelApi;
afterEach(() => fake.close());

async function start(...responses: NonNullable<FakeModelApiOptions['responses']>): Promise<void> {
  fake = await startFakeModelApi({ responses, bindsThinking: true });
}

async function ask(request: Partial<ModelRequest> = {}): Promise<AssistantMessage> {
  const adapter = createAnthropicAdapter({ apiKey: 'test-key', baseUrl: fake.url });
  let finished: AssistantMessage | undefined;
  for await (const event of adapter.stream({ ...REQUEST, ...request }, SIGNAL) as AsyncIterable<ModelEvent>) {
    if (event.type === 'finished') finished = event.message;
  }
  return finished ?? expect.fail('the answer has no end');
}

const dropsIn = ({ body }: { readonly body: unknown }) =>
  (body as { thinking?: { block_binding?: { prefix_mismatch_behavior?: string } } }).thinking?.block_binding
    ?.prefix_mismatch_behavior;

describe('thinking that no longer fits', () => {
  it('is taken back as it is while nothing before it has changed, in one request', async () => {
    await start(thought, answer(text('Done.')));
    const first = await ask();
    const second = await ask({ messages: [said('go'), first, result] });
    expect(fake.requests).toHaveLength(2);
    expect(second).not.toHaveProperty('meta');
    expect(fake.requests.map(dropsIn)).toEqual([undefined, undefined]);
  });

  it('is left out by the service after one refusal, and from then on without one', async () => {
    await start(thought, answer(text('One.')), answer(text('Two.')));
    const first = await ask();
    const changed = { instructions: 'Second.' };
    const second = await ask({ ...changed, messages: [said('go'), first, result] });
    expect(fake.requests.map(dropsIn)).toEqual([undefined, undefined, 'drop_block']);
    expect(fake.requests[2]?.headers['anthropic-beta']).toBe('thinking-binding-controls-2026-08-01');
    const third = await ask({ ...changed, messages: [said('go'), first, result, second, said('more')] });
    expect(third.content).toEqual([{ type: 'text', text: 'Two.' }]);
    expect(fake.requests.map(dropsIn).slice(3)).toEqual(['drop_block']);
    expect(JSON.stringify(fake.requests[3]?.body)).not.toContain('dropsThinking');
  });

  it('keeps the settings of thinking and the betas that the agent has', async () => {
    await start(thought, answer(text('One.')));
    const modelOptions = { thinking: { type: 'enabled', budget_tokens: 500 }, betas: ['own-beta'] };
    const first = await ask({ modelOptions });
    await ask({ modelOptions, instructions: 'Second.', messages: [said('go'), first, result] });
    expect(fake.requests[2]?.body).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 500 } });
    expect(fake.requests[2]?.headers['anthropic-beta']).toBe('own-beta,thinking-binding-controls-2026-08-01');
  });

  it('goes with a conversation that the service holds: a new one is begun, and gone on with', async () => {
    await start(thought, answer(text('One.')), answer(text('Two.')));
    const threaded = { providerThread: true };
    const first = await ask(threaded);
    const changed = { ...threaded, instructions: 'Second.' };
    const second = await ask({ ...changed, messages: [said('go'), first, result] });
    expect(second.meta).toMatchObject({ anthropic: { dropsThinking: true, thread: { id: expect.any(String) } } });
    await ask({ ...changed, messages: [said('go'), first, result, second, said('more')] });
    const threads = fake.requests.map(({ body }) => (body as { thread?: { type: string } }).thread?.type);
    expect(threads).toEqual(['create', 'create', 'create', 'continue']);
  });

  it('is asked about once: another refusal is an error', async () => {
    const refusal = { type: 'invalid_request_error', message: 'The block is bound to a different conversation.' };
    const refused = { status: 400, body: { type: 'error', error: refusal } };
    await start(refused, refused);
    await expect(ask()).rejects.toMatchObject({ kind: 'invalid_request', retryable: false });
    expect(fake.requests).toHaveLength(2);
  });
});

describe('a request without the thinking that no longer fits', () => {
  it('has none at all where the agent has thinking off, which takes no other setting', () => {
    const first: AssistantMessage = {
      role: 'assistant',
      content: [{ type: 'opaque', provider: 'anthropic', value: { type: 'thinking', thinking: 'hm', signature: 's' } }],
    };
    const answered: AssistantMessage = { ...first, content: [...first.content, { type: 'text', text: 'Yes.' }] };
    const modelOptions = { thinking: { type: 'disabled' } };
    const request = toWireRequest({ ...REQUEST, modelOptions, messages: [said('a'), answered, said('b')] });
    const dropping = droppingThinking(request);
    expect(dropping).toMatchObject({ thinking: { type: 'disabled' } });
    expect(JSON.stringify(dropping.messages)).not.toContain('thinking');
    expect(dropping).not.toHaveProperty('betas');
  });

  it.each([
    [400, 'prompt is too long', false],
    [500, 'The block is bound to a different conversation', false],
    [400, 'messages.1.content.0: The block is bound to a different conversation.', true],
  ])('is sent after a %i with "%s": %s', (status, message, isSent) => {
    expect(isUnboundThinking(Object.assign(new Error(message), { status }))).toBe(isSent);
  });
});
