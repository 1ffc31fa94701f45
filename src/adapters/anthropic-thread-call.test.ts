// A conversation in a thread: the adapter with the real SDK, against a fake that holds conversations and is strict.

import { afterEach, describe, expect, it } from 'vitest';
import type { MessageAnswer, ScriptEntry } from '../../test/fake-model-api/answers.ts';
import { type FakeModelApi, startFakeModelApi } from '../../test/fake-model-api/fake-model-api.ts';
import { answer, call, cutStream, text, thinking } from '../../test/fake-model-api/samples.ts';
import { eventsOf } from '../../test/fake-model-api/sse.ts';
import { THREAD_CODES } from '../../test/fake-model-api/threads.ts';
import { type AssistantMessage, callsOf, type Message, type UserBlock } from '../protocol/messages.ts';
import { createAnthropicAdapter } from './anthropic.ts';
import type { ModelEvent, ModelRequest } from './model-adapter.ts';

type Finished = Extract<ModelEvent, { type: 'finished' }>;

const BETA = 'message-threads-2026-08-12';
const LOOK = { name: 'look', description: 'Looks.', input_schema: { type: 'object' } };
const REQUEST: ModelRequest = {
  model: 'claude-fake-1',
  instructions: 'Be brief.',
  tools: [LOOK],
  messages: [],
  maxOutputTokens: 1_000,
  providerThread: true,
};
const WHOLE = {
  model: 'claude-fake-1',
  max_tokens: 1_000,
  stream: true,
  cache_control: { type: 'ephemeral' },
  system: [text('Be brief.')],
  tools: [LOOK],
};
const { system: _, tools: __, ...LATER } = WHOLE;
const CREATE = { type: 'create' };
const after = (index: number) => ({ type: 'continue', previous_message_id: `msg_fake_${index}` });
const said = (words: string): Message => ({ role: 'user', content: [{ type: 'text', text: words }] });

let fake: FakeModelApi;

afterEach(() => fake.close());

/** A conversation as a run has it: what is asked is appended, and so is what is answered. */
class Conversation {
  readonly messages: Message[] = [];
  readonly #adapter = createAnthropicAdapter({ apiKey: 'test-key', baseUrl: fake.url });

  /** Asks with the messages so far, and these. The answer is not appended. */
  async ask(changes: Partial<ModelRequest> = {}, ...messages: readonly Message[]): Promise<Finished> {
    this.messages.push(...messages);
    let last: ModelEvent | undefined;
    const request = { ...REQUEST, messages: [...this.messages], ...changes };
    for await (const event of this.#adapter.stream(request, new AbortController().signal)) last = event;
    return last?.type === 'finished' ? last : expect.fail('the answer is not finished');
  }

  /** Asks with the results of the last answer's calls, or with words where it has none. */
  async next(changes: Partial<ModelRequest> = {}): Promise<Finished> {
    const finished = await this.ask(changes, answerTo(this.messages.at(-1)));
    this.messages.push(JSON.parse(JSON.stringify(finished.message)));
    return finished;
  }
}

function answerTo(message: Message | undefined): Message {
  const calls = message?.role === 'assistant' ? callsOf(message) : [];
  const content: UserBlock[] = calls.map(({ callId }) => ({
    type: 'result',
    callId,
    content: [{ type: 'text', text: callId }],
  }));
  return content.length > 0 ? { role: 'user', content } : said('Go on.');
}

async function begin(...responses: readonly ScriptEntry[]): Promise<Conversation> {
  fake = await startFakeModelApi({ responses });
  return new Conversation();
}

const bodies = () => fake.requests.map(({ body }) => body as Record<string, unknown>);
const threads = () => bodies().map(({ thread }) => thread);
const sizes = () => bodies().map(({ messages }) => (messages as unknown[]).length);
const wireResult = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: [text(id)] });

describe('a conversation', () => {
  it('is sent whole once, and then only what is new, thinking and parallel calls included', async () => {
    const first = answer(thinking('why'), call('toolu_1'), call('toolu_2'), call('toolu_3'));
    const talk = await begin(first, answer(thinking('so'), call('toolu_4')), answer(text('Done.')));
    for (let n = 0; n < 3; n++) await talk.next();
    const results = (...ids: string[]) => [{ role: 'user', content: ids.map(wireResult) }];
    expect(bodies()).toEqual([
      { ...WHOLE, messages: [{ role: 'user', content: [text('Go on.')] }], thread: CREATE },
      { ...LATER, messages: results('toolu_1', 'toolu_2', 'toolu_3'), thread: after(0) },
      { ...LATER, messages: results('toolu_4'), thread: after(1) },
    ]);
    expect(fake.requests.map(({ headers }) => headers['anthropic-beta'])).toEqual([BETA, BETA, BETA]);
    expect(fake.rejections).toEqual([]);
  });

  it('without the wish for a thread has none, and its answers say nothing of one', async () => {
    const talk = await begin(answer(text('One.')), answer(text('Two.')));
    const { message } = await talk.next({ providerThread: false });
    await talk.next({ providerThread: false });
    expect(message).not.toHaveProperty('meta');
    expect(bodies().map((body) => 'thread' in body)).toEqual([false, false]);
    expect(fake.requests[0]?.headers).not.toHaveProperty('anthropic-beta');
    expect(fake.requests[1]?.text).toContain('cache_control');
  });

  it('keeps the betas and the cache mark of its options', async () => {
    const talk = await begin(answer(text('One.')), answer(text('Two.')));
    const modelOptions = { betas: ['other'], cache_control: { type: 'ephemeral', ttl: '1h' } };
    for (let n = 0; n < 2; n++) await talk.next({ modelOptions });
    expect(fake.requests.map(({ headers }) => headers['anthropic-beta'])).toEqual(Array(2).fill(`other,${BETA}`));
    expect(bodies()).toMatchObject(Array(2).fill({ cache_control: { ttl: '1h' } }));
    expect(threads()).toEqual([CREATE, after(0)]);
  });

  it('gets no mark of ours where its own blocks have all that a request may have', async () => {
    const talk = await begin(answer(text('One.')));
    const meta = { anthropic: { cache_control: { type: 'ephemeral' } } };
    const marked = ['a', 'b', 'c', 'd'].map((words) => ({ type: 'text', text: words, meta }) as const);
    await talk.ask({}, { role: 'user', content: marked });
    expect(bodies()[0]).not.toHaveProperty('cache_control');
  });

  it('goes on from a pause with nothing new', async () => {
    const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { q: 'tide' } };
    const paused = { ...answer(search), stop_reason: 'pause_turn' };
    const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
    const talk = await begin(paused, answer(found, text('High.')), answer(text('Yes.')));
    await talk.next();
    talk.messages.push((await talk.ask()).message);
    await talk.next();
    expect(threads()).toEqual([CREATE, after(0), after(1)]);
    expect(sizes()).toEqual([1, 0, 1]);
    expect(fake.rejections).toEqual([]);
  });
});

describe('a thread that the service refuses', () => {
  it.each(THREAD_CODES)('%s: is begun anew in the same attempt, and gone on with', async (code) => {
    const talk = await begin(answer(call('toolu_1')), answer(call('toolu_2')), answer(text('Done.')));
    await talk.next();
    fake.threads.refuseNext('continue', code);
    await talk.next();
    await talk.next();
    expect(threads()).toEqual([CREATE, after(0), CREATE, after(2)]);
    expect(sizes()).toEqual([1, 1, 3, 1]);
    expect(bodies()[2]).toMatchObject({ ...WHOLE, messages: [{}, {}, { content: [wireResult('toolu_1')] }] });
    expect(fake.rejections).toEqual([]);
  });

  it('altogether: all is sent without one, and the rest of the conversation does not ask again', async () => {
    const talk = await begin(answer(call('toolu_1')), answer(call('toolu_2')), answer(text('Done.')));
    await talk.next();
    fake.threads.refuseNext('continue', 'thread_unsupported_request');
    fake.threads.refuseNext('create', 'thread_unsupported_request');
    const { message } = await talk.next();
    expect(message.meta).toEqual({ anthropic: { thread: 'unsupported' } });
    expect((await talk.next()).message.meta).toEqual(message.meta);
    expect(threads()).toEqual([CREATE, after(0), CREATE, undefined, undefined]);
    expect(sizes()).toEqual([1, 1, 3, 3, 5]);
    expect(fake.requests[3]?.headers).not.toHaveProperty('anthropic-beta');
    expect(bodies()[3]).not.toHaveProperty('cache_control');
    expect(fake.requests[3]?.text).toContain('cache_control'); // on its blocks, as ever
  });

  it.each(THREAD_CODES.filter((code) => code !== 'thread_unsupported_request'))(
    'when it is created, with %s: the call fails',
    async (code) => {
      const talk = await begin(answer(text('One.')));
      fake.threads.refuseNext('create', code);
      await expect(talk.next()).rejects.toMatchObject({ retryable: false, message: expect.stringContaining(code) });
      expect(fake.requests).toHaveLength(1);
    },
  );

  it('for another reason: the call fails, and the next attempt goes on with the same answer', async () => {
    const error = { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' } };
    const talk = await begin(answer(text('One.')), { status: 429, body: error }, answer(text('Two.')));
    await talk.next();
    await expect(talk.ask({}, said('Go on.'))).rejects.toMatchObject({ kind: 'rate_limited' });
    await talk.ask();
    expect(threads()).toEqual([CREATE, after(0), after(0)]);
  });

  it('as one that was gone on with, since the worker died after the answer: is begun anew', async () => {
    const talk = await begin(...['One.', 'Lost.', 'Two.', 'Three.'].map((words) => answer(text(words))));
    await talk.next();
    await talk.ask({}, said('And?'));
    talk.messages.push((await talk.ask()).message);
    await talk.next();
    expect(threads()).toEqual([CREATE, after(0), after(0), CREATE, after(3)]);
    expect(sizes()).toEqual([1, 1, 1, 3, 1]);
  });

  it('since it is too long ago: is begun anew', async () => {
    const talk = await begin(answer(text('One.')), answer(text('Two.')));
    await talk.next();
    fake.threads.forget();
    await talk.next();
    expect(threads()).toEqual([CREATE, after(0), CREATE]);
  });

  it('is asked for again after a stream that broke off', async () => {
    const whole = answer(text('Two.'));
    const talk = await begin(answer(text('One.')), cutStream(whole, 1, 'reset'), whole);
    await talk.next();
    await expect(talk.ask({}, said('And?'))).rejects.toMatchObject({ retryable: true });
    await talk.ask();
    expect(threads()).toEqual([CREATE, after(0), after(0)]);
  });
});

describe('an answer that the service does not hold as the transcript has it', () => {
  const FALLBACK = { iterations: [{ type: 'message' }, { type: 'fallback_message' }] };
  const withLateUsage = (message: MessageAnswer) =>
    eventsOf(message).map((event) =>
      event.event === 'message_delta' ? { ...event, data: { ...Object(event.data), usage: FALLBACK } } : event,
    );

  it.each([
    ['of a fallback model', { ...answer(text('Hm.')), usage: FALLBACK }],
    ['of a fallback model that the end of its stream tells of', { sse_events: withLateUsage(answer(text('Hm.'))) }],
    ['with a call that is no JSON', answer(call('toolu_1', 'no object'))],
  ])('%s is not gone on from', async (_name, first) => {
    const talk = await begin(first, answer(text('Done.')));
    expect((await talk.next()).message).not.toHaveProperty('meta');
    await talk.next();
    expect(threads()).toEqual([CREATE, CREATE]);
    expect(fake.rejections).toEqual([]);
  });

  it('a refusal leaves the turn before it, and the conversation begins anew', async () => {
    const refusal = { ...answer(text('No.')), stop_reason: 'refusal' };
    const talk = await begin(answer(text('One.')), refusal, answer(text('Two.')), answer(text('Three.')));
    await talk.next();
    const refused = await talk.ask({}, said('Do harm.'));
    expect(refused.message).not.toHaveProperty('meta');
    talk.messages.pop();
    await talk.next();
    await talk.next();
    expect(threads()).toEqual([CREATE, after(0), after(0), CREATE, after(3)]);
    expect(fake.requests[3]?.text).not.toContain('Do harm.');
  });

  it('a search that a user has cut short is left out of a new thread', async () => {
    const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
    const paused = { ...answer(text('I search.'), search), stop_reason: 'pause_turn' };
    const talk = await begin(paused, answer(text('Well.')));
    await talk.next();
    await talk.next();
    expect(threads()).toEqual([CREATE, CREATE]);
    expect(fake.requests[1]?.text).not.toContain('srvtoolu_1');
    expect(fake.rejections).toEqual([]);
  });
});

describe('a conversation that is not the one that the service holds', () => {
  const tool = { ...LOOK, description: 'Looks well.' };
  const changes: readonly [string, Partial<ModelRequest>][] = [
    ['a model', { model: 'claude-fake-2' }],
    ['instructions', { instructions: 'Be long.' }],
    ['tools', { tools: [tool] }],
    ['provider tools', { providerTools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['a number of output tokens', { maxOutputTokens: 2_000 }],
    ['options', { modelOptions: { temperature: 0 } }],
    ['a schema', { output: { type: 'object', additionalProperties: false } }],
  ];

  it.each(changes)('begins anew with other %s', async (_name, change) => {
    const talk = await begin(...['One.', 'Two.', 'Three.'].map((words) => answer(text(words))));
    await talk.next();
    await talk.next(change);
    await talk.next(change);
    expect(threads()).toEqual([CREATE, CREATE, after(1)]);
  });

  const other: AssistantMessage = { role: 'assistant', content: [{ type: 'text', text: 'I am another.' }] };
  const edits: readonly [string, (messages: Message[]) => void][] = [
    ['another provider has answered in between', (messages) => messages.push(said('And you?'), other)],
    ['a summary stands for its beginning', (messages) => messages.splice(0, 1, said('They have talked.'))],
    ['its last answer was changed', (messages) => messages.splice(1, 1, { ...messages[1], ...other })],
    [
      'its last answer has lost its meta',
      (messages) => messages.splice(1, 1, { ...other, content: content(messages) }),
    ],
  ];
  const content = (messages: Message[]) => messages[1]?.content as AssistantMessage['content'];

  it.each(edits)('begins anew where %s', async (_name, edit) => {
    const talk = await begin(answer(text('One.')), answer(text('Two.')), answer(text('Three.')));
    await talk.next();
    edit(talk.messages);
    await talk.next();
    await talk.next();
    expect(threads()).toEqual([CREATE, CREATE, after(1)]);
    expect(sizes()[1]).toBeGreaterThan(2);
  });

  it('begins anew where a later call has the id under which an earlier one was sent', async () => {
    const talk = await begin(answer(call('a_2eb')), answer(text('Done.')));
    talk.messages.push(said('Hi.'));
    talk.messages.push({ role: 'assistant', content: [{ type: 'call', callId: 'a.b', name: 'look', input: {} }] });
    await talk.next();
    await talk.next();
    expect(threads()).toEqual([CREATE, CREATE]);
    expect(fake.requests[0]?.text).toContain('"a_2eb"');
    expect(fake.requests[1]?.text).toContain('"a_2eb_2"');
    expect(fake.rejections).toEqual([]);
  });

  it('is not gone on with by the holder of another key', async () => {
    const talk = await begin(answer(text('One.')), answer(text('Two.')));
    await talk.next();
    const adapter = createAnthropicAdapter({ apiKey: 'other-key', baseUrl: fake.url });
    const request = { ...REQUEST, messages: [...talk.messages, said('And?')] };
    for await (const _event of adapter.stream(request, new AbortController().signal));
    expect(threads()).toEqual([CREATE, CREATE]);
  });

  it('cannot be taken over with the answer of another one', async () => {
    const talk = await begin(answer(text('The secret is 7.')), answer(text('Well.')));
    const { message } = await talk.next();
    const thief = new Conversation();
    thief.messages.push(said('Hi.'), { ...message, content: [{ type: 'text', text: 'Yes?' }] });
    await thief.next();
    expect(threads()).toEqual([CREATE, CREATE]);
  });
});
