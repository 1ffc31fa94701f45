// The loop on a real server, twice: with the worker's context cache, and with every context asked of the run.

import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ModelAdapter } from '../../src/adapters/model-adapter.ts';
import { defineAgent } from '../../src/agents/agent.ts';
import { callsOf } from '../../src/protocol/messages.ts';
import { defineTool, ToolError } from '../../src/tools/tool.ts';
import { answer } from '../fake-model-api/samples.ts';
import { eventOf, withHarness } from '../support/harness.ts';
import { asks, says } from '../support/messages.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  effect: 'read',
  quick: true,
  run: ({ a, b }) => a + b,
});
const look = defineTool({
  name: 'look',
  description: 'Looks something up.',
  input: z.object({ q: z.string() }),
  effect: 'read',
  run: ({ q }) => `found ${q}`,
});
const fail = defineTool({
  name: 'fail',
  description: 'Always fails.',
  input: z.object({}),
  effect: 'read',
  run: () => {
    throw new ToolError('there is nothing here');
  },
});

const tester = (changes: object = {}) =>
  defineAgent({
    name: 'tester',
    instructions: 'Be brief.',
    model: 'anthropic/claude-fake-1',
    tools: [add, look, fail],
    ...changes,
  });

describe.each([
  ['with the context cache', undefined],
  ['without the context cache', 0],
])('the loop, %s', (_, contextCacheBytes) => {
  test('answers from the results of parallel calls, in one request a model call', async () => {
    const responses = [asks(['look', { q: 'a' }], ['add', { a: 19, b: 23 }], ['fail']), says('42 and a.')];
    await withHarness(
      { agents: [tester()], model: { responses }, contextCacheBytes },
      async ({ client, fake, events }) => {
        const { run } = await client.start({ agent: 'tester', prompt: 'Question?' });
        const result = await client.result(run);
        expect(result).toMatchObject({ status: 'completed', text: '42 and a.', iterations: 2, turns: 1 });
        expect(result.usage).toMatchObject({ inputTokens: 40, outputTokens: 20 });
        expect(fake.requests).toHaveLength(2);
        expect(fake.rejections).toEqual([]);
        const types = (await events(run)).map((event) => event.type);
        expect(types.filter((type) => type === 'tool_call' || type === 'tool_result')).toHaveLength(6);
        expect(types.at(0)).toBe('run_started');
        expect(types.slice(-3)).toEqual(['final_text', 'turn_finished', 'run_finished']);
      },
    );
  });

  test('quick calls alone are local activities; beside a slow one they are ordinary', async () => {
    const responses = [
      asks(['add', { a: 1, b: 2 }], ['add', { a: 3, b: 4 }]),
      asks(['add', { a: 5, b: 6 }], ['look', { q: 'b' }]),
      says('3, 7, 11, b.'),
    ];
    await withHarness(
      { agents: [tester()], model: { responses }, contextCacheBytes },
      async ({ client, temporal, fake }) => {
        const { run } = await client.start({ agent: 'tester', prompt: 'Question?' });
        await client.result(run);
        const history = await temporal.workflow.getHandle(run).fetchHistory();
        const scheduled = (history.events ?? []).map(
          (event) => event.activityTaskScheduledEventAttributes?.activityType?.name,
        );
        expect(scheduled.filter((name) => name === 'add' || name === 'look')).toEqual(['add', 'look']);
        const second = JSON.stringify(fake.requests[1]?.body);
        expect(second).toContain('"3"');
        expect(second).toContain('"7"');
      },
    );
  });

  test('a chat takes several messages, keeps its transcript, and ends when it is closed', async () => {
    const responses = [says('One.'), asks(['look', { q: 'c' }]), says('Two.')];
    await withHarness({ agents: [tester()], model: { responses }, contextCacheBytes }, async ({ client, fake }) => {
      const { run } = await client.start({ agent: 'tester', prompt: 'first', mode: 'chat' });
      await eventOf(client, run, 'turn_finished');
      await client.send(run, 'second');
      await client.close(run);
      const result = await client.result(run);
      expect(result).toMatchObject({ status: 'completed', text: 'Two.', turns: 2 });
      expect(fake.requests.at(-1)?.body).toMatchObject({ messages: { length: 5 } });
      const transcript = await client.transcript(run);
      expect(transcript).toHaveLength(6);
      expect(result.transcript.length).toBe(6);
    });
  });

  test('a conversation that is handed in is gone on from', async () => {
    await withHarness(
      { agents: [tester()], model: { responses: [says('Blue.')] }, contextCacheBytes },
      async ({ client, fake }) => {
        const { run } = await client.start({
          agent: 'tester',
          messages: [
            { role: 'user', content: [{ type: 'text', text: 'My colour is blue.' }] },
            { role: 'assistant', content: [{ type: 'text', text: 'Noted.' }] },
          ],
          prompt: 'Which is it?',
        });
        expect(await client.result(run)).toMatchObject({ text: 'Blue.' });
        expect(JSON.stringify(fake.requests[0]?.body)).toContain('My colour is blue.');
      },
    );
  });

  test('a run goes on over many links without losing or doubling anything', async () => {
    let asked = 0;
    const respond = () => (asked++ < 25 ? asks(['look', { q: String(asked) }]) : says('All 25.'));
    const agent = tester({ limits: { maxIterations: 40 }, continueAsNewAfterEvents: 100 });
    await withHarness({ agents: [agent], model: { respond }, contextCacheBytes }, async ({ client, fake, events }) => {
      const { run } = await client.start({ agent: 'tester', prompt: 'Look 25 times.' });
      const result = await client.result(run);
      expect(result).toMatchObject({ status: 'completed', text: 'All 25.', iterations: 26 });
      expect(fake.requests).toHaveLength(26);
      expect(fake.repeatedCompleted).toBe(0);
      const all = await events(run);
      expect(all.filter((event) => event.type === 'run_continued').length).toBeGreaterThan(0);
      expect(all.filter((event) => event.type === 'tool_result')).toHaveLength(25);
      const transcript = await client.transcript(run);
      expect(transcript.flatMap((each) => (each.role === 'assistant' ? callsOf(each) : []))).toHaveLength(25);
      expect(transcript).toHaveLength(result.transcript.length);
    });
  });

  test('cancel reaches a running handler and the model request, and the run says that it was cancelled', async () => {
    let aborted = false;
    const slow = defineTool({
      name: 'slow',
      description: 'Waits.',
      input: z.object({}),
      effect: 'read',
      run: async (_input, call) => {
        started();
        await delay(60_000, undefined, { signal: call.signal }).catch(() => {
          aborted = true;
          stopped();
        });
      },
    });
    let started = () => {};
    let stopped = () => {};
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const ended = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    const agent = defineAgent({ name: 'tester', instructions: 'x', model: 'anthropic/claude-fake-1', tools: [slow] });
    await withHarness(
      { agents: [agent], model: { responses: [asks(['slow'])] }, contextCacheBytes },
      async ({ client }) => {
        const { run } = await client.start({ agent: 'tester', prompt: 'Wait.' });
        await running;
        await client.cancel(run);
        expect(await client.result(run)).toMatchObject({ status: 'cancelled', reason: 'user_cancelled' });
        await ended;
        expect(aborted).toBe(true);
      },
    );
  });

  test('another provider goes on with the conversation where the first one is down', async () => {
    const adapter: ModelAdapter = {
      async *stream({ messages }) {
        const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
        const text = `${messages.length} messages seen.`;
        const message = { role: 'assistant', content: [{ type: 'text', text }] } as const;
        yield { type: 'finished', message, stopReason: 'end_turn', rawStopReason: 'stop', model: 'other', usage };
      },
    };
    const down = { status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } };
    const model = { responses: [asks(['look', { q: 'e' }]), down] };
    const agent = defineAgent({
      name: 'tester',
      instructions: 'Be brief.',
      models: ['anthropic/claude-fake-1', 'test/other'],
      tools: [look],
      modelAttempts: 1,
    });
    await withHarness({ agents: [agent], adapter, model, contextCacheBytes }, async ({ client, events }) => {
      const { run } = await client.start({ agent: 'tester', prompt: 'Question?' });
      expect(await client.result(run)).toMatchObject({ status: 'completed', text: '3 messages seen.', iterations: 2 });
      const all = await events(run);
      expect(all.filter(({ type }) => type === 'iteration_started')).toHaveLength(2);
      expect(all).toContainEqual(
        expect.objectContaining({
          type: 'model_fallback',
          from: 'anthropic/claude-fake-1',
          to: 'test/other',
          reason: 'overloaded',
        }),
      );
      expect(all.flatMap((event) => (event.type === 'model_result' ? [event.model] : []))).toEqual([
        'claude-fake-1',
        'other',
      ]);
    });
  });

  test('thinking and unknown blocks go back as they came', async () => {
    const content = [
      { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
      { type: 'shiny_new_block', payload: { nested: [1, null, 'x'] } },
      { type: 'tool_use', id: 'toolu_think', name: 'look', input: { q: 'd' } },
    ];
    const model = { strict: 'allow_unknown_blocks' as const, responses: [answer(...content), says('d.')] };
    await withHarness({ agents: [tester()], model, contextCacheBytes }, async ({ client, fake }) => {
      const { run } = await client.start({ agent: 'tester', prompt: 'Question?' });
      await client.result(run);
      expect(fake.requests[1]?.body).toHaveProperty('messages.1.content', content);
    });
  });
});
