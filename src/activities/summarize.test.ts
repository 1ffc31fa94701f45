import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import { ModelError, type ModelEvent, type ModelRequest } from '../adapters/model-adapter.ts';
import type { SummarizeInput, SummarizeResult } from '../protocol/activities.ts';
import type { Message } from '../protocol/messages.ts';
import { NO_USAGE } from '../protocol/run.ts';
import { createRegistry } from '../tools/registry.ts';
import { ContextCache, emptyContext, extendContext } from './context-cache.ts';
import { digestAfter, headDigest } from './digest.ts';
import { createObserve } from './observe.ts';
import { createCostOf } from './prices.ts';
import { createSummarize } from './summarize.ts';

const SILENT = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const HEAD = { instructions: 'Be brief.', tools: [] };
const said = (role: Message['role'], text: string): Message => ({ role, content: [{ type: 'text', text }] });
const MESSAGES = [
  said('user', 'Find the key of the blue door.'),
  said('assistant', 'I am looking.'),
  said('user', 'Hurry!'),
  said('assistant', 'It lies under the stone.'),
];
const BASE = extendContext(emptyContext(HEAD), MESSAGES);

type Finish = Partial<Extract<ModelEvent, { type: 'finished' }>>;

function setUp(text: string, finish: Finish | (() => Finish) = {}, base = BASE, takesBytes = Number.POSITIVE_INFINITY) {
  const cache = new ContextCache(1_000_000);
  cache.set(base);
  const requests: ModelRequest[] = [];
  const errors: unknown[] = [];
  const adapter = {
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      requests.push(request);
      if (JSON.stringify(request.messages).length > takesBytes) {
        throw new ModelError('context_overflow', 'too long', { retryable: false });
      }
      const content = text === '' ? [] : [{ type: 'text' as const, text }];
      const usage = { ...NO_USAGE, inputTokens: 1_000_000, outputTokens: 10 };
      const rest = { stopReason: 'end_turn', rawStopReason: 'end', model: 'short-1', usage } as const;
      yield {
        type: 'finished',
        message: { role: 'assistant', content },
        ...rest,
        ...(typeof finish === 'function' ? finish() : finish),
      };
    },
  };
  const activity = createSummarize({
    agents: [],
    models: { find: async () => ({ adapter, provider: 'fake', model: 'short' }) },
    registry: createRegistry([]),
    cache,
    observe: createObserve({ onError: ({ error }) => void errors.push(error) }),
    maxPayloadBytes: 1_000_000,
    costOf: createCostOf({ 'fake/short': { inputUsdPerMillion: 1, outputUsdPerMillion: 1 } }),
  });
  const env = new MockActivityEnvironment({ startToCloseTimeoutMs: 60_000, attempt: 2 }, { logger: SILENT });
  const input: SummarizeInput = {
    base: { context: 0, length: base.messages.length, digest: base.digest },
    cut: 3,
    turnStart: 0,
    agent: 'tester',
    model: 'fake/short',
    contextWindowTokens: 10_000,
    streamIdleTimeoutMs: 1_000,
    turn: 1,
    iteration: 3,
  };
  const run = (changes: Partial<SummarizeInput> = {}) =>
    env.run<[SummarizeInput], SummarizeResult, typeof activity>(activity, { ...input, ...changes });
  return { run, cache, requests, errors };
}

describe('a summary', () => {
  test('is asked for as one text without tools, and the conversation is in it', async () => {
    const { run, requests } = setUp('The key was sought.');
    await run();
    const [request] = requests;
    expect(request).toMatchObject({ model: 'short', tools: [] });
    expect(request?.messages).toHaveLength(1);
    expect(JSON.stringify(request?.messages)).toContain('Find the key of the blue door.');
    expect(JSON.stringify(request?.messages)).not.toContain('under the stone');
  });

  test('stands before what was kept, in a context that names the old one, and is in the cache', async () => {
    const { run, cache } = setUp('The key was sought.');
    const result = await run();
    const kept = MESSAGES.slice(3);
    const digest = digestAfter(headDigest({ ...HEAD, parent: BASE.digest }), [result.summary, ...kept]);
    expect(result.digest).toBe(digest);
    expect(cache.get(digest)).toMatchObject({ head: { parent: BASE.digest }, messages: [result.summary, ...kept] });
    expect(result).toMatchObject({ model: 'short-1', attempt: 2, costUsdMicros: 1_000_010 });
    expect(result.contextTokens).toBeLessThan(300);
  });

  test("keeps the user's last words beside the model's, also through the next summary", async () => {
    const first = await setUp('The key was sought.').run();
    expect(JSON.stringify(first.summary)).toContain('Hurry!');
    expect(JSON.stringify(first.summary)).not.toContain('Find the key');
    const base = extendContext(emptyContext(HEAD), [
      first.summary,
      said('assistant', 'On it.'),
      said('assistant', 'x'),
    ]);
    const second = await setUp('Still sought.', {}, base).run({ cut: 2 });
    expect(second.summary.content.map((block) => block.type === 'text' && block.text)).toEqual([
      expect.stringContaining('Still sought.'),
      expect.any(String),
      'Hurry!',
    ]);
  });

  test.each([
    [0, [], 1],
    [3, [], 1],
    [4, MESSAGES.slice(3), 2],
  ])('tells where a turn that began at message %i goes back to', async (turnStart, kept, length) => {
    const result = await setUp('The key was sought.').run({ turnStart });
    const digest = digestAfter(headDigest({ ...HEAD, parent: BASE.digest }), [result.summary, ...kept]);
    expect(result.turnStart).toMatchObject({ length, digest });
  });

  test('that was cut at its cap is still taken', async () => {
    const { run } = setUp('The key was', { stopReason: 'max_tokens' });
    await expect(run()).resolves.toMatchObject({ digest: expect.any(String) });
  });

  test.each<[string, string, Finish]>([
    ['is empty', '  ', {}],
    ['is a refusal', 'No.', { stopReason: 'refusal' }],
  ])('that %s is none: the attempt fails, is told to the hooks and may be made again', async (_, text, finish) => {
    const { run, errors } = setUp(text, finish);
    const failure = await run().then(
      () => undefined,
      (error: unknown) => error as ApplicationFailure,
    );
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ type: 'Model.BadModelResponse', nonRetryable: false });
    expect(errors).toHaveLength(1);
  });

  test('is asked for with less where its model takes less than the agent says, and not for ever', async () => {
    const words = Array.from({ length: 20 }, (_, n) => said(n % 2 ? 'assistant' : 'user', 'word '.repeat(1_000)));
    const long = extendContext(emptyContext(HEAD), words);
    const base = { context: 0, length: 20, digest: long.digest };
    const small = setUp('Words.', {}, long, 4_000);
    await expect(small.run({ cut: 20, base })).resolves.toMatchObject({ digest: expect.any(String) });
    expect(small.requests).toHaveLength(4);
    const none = setUp('Words.', {}, long, 0);
    await expect(none.run({ cut: 20, base })).rejects.toMatchObject({
      type: 'Model.ContextOverflow',
      nonRetryable: true,
    });
    expect(none.requests).toHaveLength(6);
  });

  test('that broke off at the end of the window is asked for with less, and every request is paid for', async () => {
    const never = setUp('The', { stopReason: 'context_overflow' });
    await expect(never.run()).rejects.toMatchObject({ type: 'Model.ContextOverflow', nonRetryable: true });
    expect(never.requests).toHaveLength(6);
    const answers: Finish[] = [{ stopReason: 'context_overflow' }, {}];
    const second = setUp('The key.', () => answers.shift() ?? {});
    await expect(second.run()).resolves.toMatchObject({ usage: { inputTokens: 2_000_000, outputTokens: 20 } });
  });

  test('and the words beside it take no more than their part of a small window', async () => {
    const long = extendContext(emptyContext(HEAD), [said('user', 'word '.repeat(2_000)), said('assistant', 'x')]);
    const { run, requests } = setUp('s'.repeat(200_000), {}, long);
    const base = { context: 0, length: 2, digest: long.digest };
    const { summary } = await run({ cut: 2, base, contextWindowTokens: 1_000 });
    expect(requests[0]).toMatchObject({ maxOutputTokens: 125 });
    const [first, , request] = summary.content.map((block) => (block.type === 'text' ? block.text.length : 0));
    expect(first).toBeLessThan(33_000);
    expect(request).toBeLessThanOrEqual(375);
  });

  test('of a conversation larger than the window asks with as much of it as fits', async () => {
    const long = extendContext(emptyContext(HEAD), [
      ...MESSAGES.slice(0, 2),
      ...Array.from({ length: 40 }, (_, n) => said(n % 2 ? 'assistant' : 'user', `${n} ${'word '.repeat(1_000)}`)),
    ]);
    const { run, requests } = setUp('Words.', {}, long);
    await run({ cut: 42, base: { context: 0, length: 42, digest: long.digest } });
    expect(JSON.stringify(requests[0]?.messages).length).toBeLessThan(10_000 * 3);
  });
});
