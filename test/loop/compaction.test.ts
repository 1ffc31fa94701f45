// A context that outgrows the model's window, on a real server: with the worker's context cache, and without.

import { describe, expect, test } from 'vitest';
import { messagesProblem } from '../../src/protocol/check-messages.ts';
import type { Answer } from '../fake-model-api/answers.ts';
import { answer, call, thinking } from '../fake-model-api/samples.ts';
import { withHarness } from '../support/harness.ts';
import { says } from '../support/messages.ts';
import { compaction, parts, reader } from './reader.ts';

const tooLong: Answer = {
  status: 400,
  body: { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 > 200000' } },
};

describe.each([
  ['with the context cache', undefined],
  ['without the context cache', 0],
])('a conversation larger than the window, %s', (_, contextCacheBytes) => {
  test('goes on from summaries to its answer, and no request comes near the window', async () => {
    const model = { responses: [...parts(12), says('All read.')], compaction };
    await withHarness({ agents: [reader()], model, contextCacheBytes }, async ({ client, fake, events }) => {
      const { run } = await client.start({ agent: 'reader', prompt: 'Read everything, and say "All read."' });
      const result = await client.result(run);
      expect(result).toMatchObject({ status: 'completed', text: 'All read.', iterations: 13 });
      expect(fake.rejections).toEqual([]);
      const asked = fake.requests.filter(({ model }) => model === 'claude-fake-1');
      expect(Math.max(...asked.map(({ text }) => text.length))).toBeLessThan(6_000 * 4 * 1.2);
      expect(asked.at(-1)?.text).toContain('Read everything, and say');
      const all = await events(run);
      const compacted = all.filter((event) => event.type === 'compacted');
      expect(compacted.length).toBeGreaterThan(2);
      expect(compacted.map(({ context }) => context)).toEqual(compacted.map((_, n) => n + 1));
      expect(compacted[0]).toMatchObject({
        model: 'claude-fake-1',
        attempts: 1,
        summary: expect.stringContaining('Parts were read'),
      });
      // Every token that was paid for is in the sum: 20 in and 10 out a request.
      expect(result.usage).toMatchObject({
        inputTokens: 20 * fake.requests.length,
        outputTokens: 10 * fake.requests.length,
      });
      expect(all.findLast((event) => event.type === 'usage')?.usage.total).toEqual(result.usage);
      const transcript = await client.transcript(run);
      expect(messagesProblem(transcript)).toBeUndefined();
      expect(transcript).toHaveLength(result.transcript.length);
    });
  });
});

test('a chat goes on after a compaction, in the same link and in the next', async () => {
  const responses = [...parts(6), says('Six.'), ...parts(6), says('Twelve.'), says('Bye.')];
  const agents = [reader({ continueAsNewAfterEvents: 60 })];
  await withHarness({ agents, model: { responses, compaction } }, async ({ client, fake, events }) => {
    const { run } = await client.start({ agent: 'reader', prompt: 'Read six parts.', mode: 'chat' });
    await client.send(run, 'Read six more.');
    await client.send(run, 'Thanks.');
    await client.close(run);
    const result = await client.result(run);
    expect(result).toMatchObject({ status: 'completed' });
    expect(fake.rejections).toEqual([]);
    const all = await events(run);
    const types = all.map(({ type }) => type);
    expect(types.lastIndexOf('compacted')).toBeGreaterThan(types.indexOf('run_continued'));
    expect(types.indexOf('run_continued')).toBeGreaterThan(0);
    const transcript = await client.transcript(run);
    expect(messagesProblem(transcript)).toBeUndefined();
    expect(transcript).toHaveLength(result.transcript.length);
  });
});

test('an overflow that the provider tells is answered by one summary and one more request', async () => {
  const responses = [...parts(2), tooLong, says('Read.')];
  const agents = [reader({ compaction: { contextWindowTokens: 100_000, model: 'anthropic/claude-fake-short' } })];
  await withHarness({ agents, model: { responses, compaction } }, async ({ client, fake, events }) => {
    const { run } = await client.start({ agent: 'reader', prompt: 'Read.' });
    expect(await client.result(run)).toMatchObject({ status: 'completed', text: 'Read.', iterations: 3 });
    expect(fake.requests).toHaveLength(5);
    expect((await events(run)).filter(({ type }) => type === 'compacted')).toHaveLength(1);
  });
});

test('a run whose summary fails says so and fails by name where the model takes no more', async () => {
  const refused: Answer = {
    status: 401,
    body: { type: 'error', error: { type: 'authentication_error', message: 'no' } },
  };
  const agents = [reader({ compaction: { contextWindowTokens: 100_000, model: 'anthropic/claude-fake-short' } })];
  const model = { responses: [...parts(2), tooLong], compaction: { ...compaction, response: refused } };
  await withHarness({ agents, model }, async ({ client, events }) => {
    const { run } = await client.start({ agent: 'reader', prompt: 'Read.' });
    expect(await client.result(run)).toMatchObject({ status: 'failed', reason: 'context_overflow' });
    const failed = (await events(run)).find(({ type }) => type === 'compaction_failed');
    expect(failed).toMatchObject({ reason: 'auth', iteration: 3 });
  });
});

test('a model that binds its thinking to what stands before it goes on after a summary', async () => {
  const thoughtful = Array.from({ length: 8 }, (_, n) =>
    answer(thinking(`${n}`), call(`toolu_${n}`, { part: n }, 'read')),
  );
  const model = { responses: [...thoughtful, says('All read.')], compaction, bindsThinking: true };
  await withHarness({ agents: [reader()], model }, async ({ client, fake }) => {
    const { run } = await client.start({ agent: 'reader', prompt: 'Read everything.' });
    expect(await client.result(run)).toMatchObject({ status: 'completed', text: 'All read.' });
    expect(fake.rejections).toEqual([expect.stringContaining('bound to a different conversation')]);
  });
});
