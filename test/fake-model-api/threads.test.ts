// What the fake does for requests with a thread, seen through the real SDK.

import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import type { FakeModelApi } from './fake-model-api.ts';
import { answer, call, cutStream, result, text, user } from './samples.ts';
import { ask, clientOf, errorOf, params, start } from './sdk-calls.ts';
import { THREAD_CODES } from './threads.ts';
import type { WireMessage } from './wire.ts';

type Thread = { type: 'create' } | { type: 'continue'; previous_message_id: string };

const BETA = 'message-threads-2026-08-12';
const CREATE: Thread = { type: 'create' };
const after = (id: string): Thread => ({ type: 'continue', previous_message_id: id });
const SYSTEM = { system: 'Be brief.', tools: [{ name: 'look', input_schema: { type: 'object' as const } }] };

function say(fake: FakeModelApi, thread: Thread, messages: readonly WireMessage[], more: object = {}) {
  const all = { ...params(messages), ...more, thread, betas: [BETA] };
  return clientOf(fake).beta.messages.create(all as Anthropic.Beta.MessageCreateParamsNonStreaming);
}

function refusalOf(said: Promise<unknown>): Promise<unknown> {
  return errorOf(said).then((error) => (error as { errorCode?: unknown }).errorCode);
}

describe('a thread', () => {
  test('goes on by what is new alone, and the rules are for the whole of it', async () => {
    const fake = await start({ responses: [answer(call('toolu_1')), answer(text('Done.'))] });
    const { id } = await say(fake, CREATE, ask, SYSTEM);
    const stray = await errorOf(say(fake, after(id), [user(result('toolu_2'))]));
    expect(stray).toMatchObject({ status: 400, message: expect.stringContaining('toolu_') });
    expect(await say(fake, after(id), [user(result('toolu_1'))])).toMatchObject({ content: [text('Done.')] });
    expect(fake.requests.at(-1)?.text).not.toContain('Be brief.');
  });

  test('has an id for each answer, in a stream and outside', async () => {
    const fake = await start({ responses: [answer(text('One.')), answer(text('Two.'))] });
    const { id } = await say(fake, CREATE, ask);
    const all = { ...params(ask), thread: after(id), betas: [BETA] };
    const streamed = await clientOf(fake)
      .beta.messages.stream(all as never)
      .finalMessage();
    expect(new Set([id, streamed.id, 'msg_1']).size).toBe(3);
  });

  test('needs its beta', async () => {
    const fake = await start({ responses: [answer(text('One.'))] });
    const refused = await errorOf(clientOf(fake).messages.create({ ...params(ask), thread: CREATE } as never));
    expect(refused).toMatchObject({ status: 400, message: expect.stringContaining('thread: Extra inputs') });
  });

  test.each(['system', 'tools'] as const)('keeps %s of its creation, and takes none later', async (field) => {
    const fake = await start({ responses: [answer(text('One.'))] });
    const { id } = await say(fake, CREATE, ask, SYSTEM);
    expect(await errorOf(say(fake, after(id), ask, { [field]: SYSTEM[field] }))).toMatchObject({ status: 400 });
    expect(fake.rejections).toEqual([expect.stringContaining(`${field}: not allowed`)]);
  });

  test('goes on with a paused answer by nothing new', async () => {
    const paused = { ...answer(text('I look')), stop_reason: 'pause_turn' };
    const fake = await start({ responses: [paused, answer(text(' it up.')), answer(text('Yes.'))] });
    const first = await say(fake, CREATE, ask);
    const second = await say(fake, after(first.id), []);
    await say(fake, after(second.id), ask);
    expect(fake.rejections).toEqual([]);
  });
});

describe('a refusal', () => {
  test('of an answer that was gone on with, or is unknown, or forgotten', async () => {
    const fake = await start({ responses: [answer(text('One.')), answer(text('Two.'))] });
    const first = await say(fake, CREATE, ask);
    const second = await say(fake, after(first.id), ask);
    expect(await refusalOf(say(fake, after(first.id), ask))).toBe('thread_already_continued');
    expect(await refusalOf(say(fake, after('msg_1'), ask))).toBe('thread_not_found');
    fake.threads.forget();
    expect(await errorOf(say(fake, after(second.id), ask))).toMatchObject({ status: 404, type: 'not_found_error' });
  });

  test('of an answer that is being gone on with', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const beforeHeaders = ({ index }: { index: number }) => (index === 1 ? held : undefined);
    const fake = await start({ responses: [answer(text('One.')), answer(text('Two.'))], hooks: { beforeHeaders } });
    const { id } = await say(fake, CREATE, ask);
    const going = say(fake, after(id), ask);
    await fake.waitForRequest(1);
    expect(await refusalOf(say(fake, after(id), ask))).toBe('thread_continue_in_flight');
    release();
    await going;
  });

  test.each([
    ['max_tokens', { max_tokens: 2_000 }],
    ['model', { model: 'claude-fake-2' }],
    ['temperature', { temperature: 0 }],
  ])('of a thread with another %s', async (_, more) => {
    const fake = await start({ responses: [answer(text('One.')), answer(text('Two.'))] });
    const { id } = await say(fake, CREATE, ask, SYSTEM);
    expect(await refusalOf(say(fake, after(id), ask, more))).toBe('thread_fingerprint_mismatch');
    await say(fake, after(id), ask, { cache_control: { type: 'ephemeral' } });
  });

  test.each([
    ['refusals', { ...answer(text('No.')), stop_reason: 'refusal' }],
    ['answers of a fallback model', { ...answer(), usage: { iterations: [{ type: 'fallback_message' }] } }],
  ])('since %s are not held', async (_, first) => {
    const fake = await start({ responses: [first] });
    const { id } = await say(fake, CREATE, ask);
    expect(await refusalOf(say(fake, after(id), ask))).toBe('thread_not_found');
  });

  test.each(THREAD_CODES)('with %s, where a test wants it, happens once', async (code) => {
    const fake = await start({ responses: [answer(text('One.')), answer(text('Two.'))] });
    const { id } = await say(fake, CREATE, ask);
    fake.threads.refuseNext('continue', code);
    expect(await refusalOf(say(fake, after(id), ask))).toBe(code);
    await say(fake, after(id), ask);
    expect(fake.rejections).toEqual([]);
  });

  test('does not follow an error or a stream that broke off: the answer can be gone on with', async () => {
    const broken = cutStream(answer(text('Two.')), 1, 'reset');
    const fake = await start({ responses: [answer(text('One.')), { status: 529 }, broken, answer(text('Two.'))] });
    const { id } = await say(fake, CREATE, ask);
    for (let n = 0; n < 2; n++) await errorOf(say(fake, after(id), ask));
    expect(await say(fake, after(id), ask)).toMatchObject({ content: [text('Two.')] });
  });
});
