import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { AgentClient } from '../../src/client/agent-client.ts';
import { InvalidRequest, RunClosed, RunExists, RunNotFound } from '../../src/client/errors.ts';
import { runEventSchema } from '../../src/client/event-schema.ts';
import { messagesProblem } from '../../src/protocol/check-messages.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import { withHarness } from '../support/harness.ts';
import { testTemporal } from '../support/server.ts';
import { call, scriptedAgent, scriptedModel } from './scripted.ts';

/** Calls a tool once, then says what it gave. */
const callsOnce = (name: string, text = 'hello') =>
  scriptedModel(({ messages }) => (messages.length === 1 ? [call('c1', name, { text })] : `it said ${text.length}`));

describe('a run', () => {
  test('is started, followed, read again, and gives its result', async () => {
    await withHarness({ agents: [scriptedAgent()], adapter: callsOnce('echo') }, async ({ client, events }) => {
      const { run } = await client.start({ agent: 'scripted', prompt: 'go', requestedBy: 'ada' });
      const live = await events(run);
      expect(live.map(({ type }) => type)).toEqual([
        'run_started',
        'turn_started',
        'iteration_started',
        'model_result',
        'tool_call',
        'tool_result',
        'iteration_started',
        'model_result',
        'assistant_text',
        'usage',
        'final_text',
        'turn_finished',
        'run_finished',
      ]);
      for (const event of live) runEventSchema.parse(JSON.parse(JSON.stringify(event)));
      expect(await events(run)).toEqual(live);
      const last = live.at(-1);
      expect(last?.type === 'run_finished' && last.result).toEqual(await client.result(run));
      expect(await client.transcript(run)).toHaveLength(4);
    });
  });

  test('tells a quick call with its input', async () => {
    await withHarness({ agents: [scriptedAgent()], adapter: callsOnce('quick_echo') }, async ({ client, events }) => {
      const { run } = await client.start({ agent: 'scripted', prompt: 'go' });
      const told = await events(run);
      expect(told.find(({ type }) => type === 'tool_call')).toMatchObject({ callId: 'c1', input: { text: 'hello' } });
      expect(told.find(({ type }) => type === 'tool_result')).toMatchObject({ outcome: 'completed', attempts: 1 });
    });
  });

  test('is seen in the Temporal UI with what was asked and by whom', async () => {
    await withHarness({ agents: [scriptedAgent()], adapter: callsOnce('echo') }, async ({ client, temporal }) => {
      const { run } = await client.start({ agent: 'scripted', prompt: 'line one\nline two', requestedBy: 'ada' });
      const description = await temporal.workflow.getHandle(run).describe();
      expect(await description.staticSummary()).toBe('scripted: line one');
      expect(await description.staticDetails()).toBe(
        '- **agent:** scripted\n- **requested by:** ada\n\n> line one\n> line two',
      );
    });
  });

  test('of an unknown agent fails with the reason', async () => {
    await withHarness({ agents: [scriptedAgent()] }, async ({ client, events }) => {
      const { run } = await client.start({ agent: 'nobody', prompt: 'go' });
      expect(await client.result(run)).toMatchObject({ status: 'failed', reason: 'unknown_agent' });
      expect((await events(run)).map(({ type }) => type)).toEqual(['run_started', 'run_finished']);
      expect(await client.show(run)).toMatchObject({ state: 'failed', status: 'failed', agent: 'nobody' });
    });
  });

  test('that is cancelled while a call runs ends with a result, and a transcript from which another can go on', async () => {
    await withHarness({ agents: [scriptedAgent()], adapter: callsOnce('wait') }, async ({ client, events }) => {
      const { run } = await client.start({ agent: 'scripted', prompt: 'go' });
      for await (const { type } of client.events(run)) if (type === 'tool_call') break;
      expect(await client.show(run)).toMatchObject({
        status: 'running',
        pending: [{ id: 'c1', name: 'wait', attempt: 1 }],
      });
      await client.cancel(run);
      expect(await client.result(run)).toMatchObject({ status: 'cancelled', reason: 'user_cancelled' });
      const told = await events(run);
      expect(told.find(({ type }) => type === 'tool_result')).toMatchObject({ callId: 'c1', outcome: 'cancelled' });
      const messages = await client.transcript(run);
      expect(messages).toHaveLength(3);
      expect(messagesProblem(messages)).toBeUndefined();
    });
  });

  test('is read with what lies in external storage, and only with that', async () => {
    const storageDir = mkdtempSync(join(tmpdir(), 'pawl-storage-'));
    const big = 'x'.repeat(150_000);
    const prompt = 'y'.repeat(400_000);
    const options = { agents: [scriptedAgent()], adapter: callsOnce('echo', big), storageDir };
    await withHarness(options, async ({ client, temporal, events }) => {
      const { run } = await client.start({ agent: 'scripted', prompt });
      expect(await client.result(run)).toMatchObject({ text: 'it said 150000' });
      const [started] = await events(run);
      expect(started).toMatchObject({ type: 'run_started', prompt });
      expect(JSON.stringify(await client.transcript(run))).toContain(prompt);
      const without = new Client({ connection: temporal.connection });
      const reading = new AgentClient({ client: without, taskQueue: 'none' }).transcript(run);
      await expect(reading).rejects.toThrow(/external storage/i);
    });
  });
});

describe('a chat', () => {
  const replies = scriptedModel(({ messages }) => `answer ${messages.length}`);

  test('takes messages, tells each once, and ends when it is closed', async () => {
    await withHarness({ agents: [scriptedAgent()], adapter: replies }, async ({ client, events }) => {
      const { run } = await client.start({ agent: 'scripted', prompt: 'one', mode: 'chat' });
      for await (const { type } of client.events(run)) if (type === 'turn_finished') break;
      expect(await client.show(run)).toMatchObject({ status: 'idle', turn: 1 });
      const requestId = randomUUID();
      expect(await client.send(run, 'two', { requestId })).toEqual({ turn: 2 });
      expect(await client.send(run, 'two', { requestId })).toEqual({ turn: 2 });
      await client.close(run);
      expect(await client.result(run)).toMatchObject({ status: 'completed', turns: 2, text: 'answer 3' });
      const messages = (await events(run)).filter(({ type }) => type === 'user_message');
      expect(messages).toMatchObject([{ prompt: 'two', turn: 2, requestId }]);
      await expect(client.send(run, 'three')).rejects.toThrow(RunClosed);
      await expect(client.close(run)).rejects.toThrow(RunClosed);
    });
  });

  test('whose run refuses a message says why', async () => {
    await withHarness({ agents: [scriptedAgent()], adapter: replies }, async ({ client, temporal }) => {
      const { run } = await client.start({ agent: 'scripted', mode: 'chat' });
      const sending = client.send(run, [
        { type: 'text', text: 'x' },
        { type: 'text', text: '' },
      ]);
      await expect(sending).rejects.toThrow(InvalidRequest);
      await temporal.workflow.getHandle(run).terminate();
    });
  });
});

describe('the client', () => {
  const nobody = async (): Promise<AgentClient> => {
    const connection = await Connection.connect({ address: testTemporal().address });
    return new AgentClient({ client: new Client({ connection }), taskQueue: `nobody-${randomUUID()}` });
  };

  test('refuses an id that is taken, with the state of that run', async () => {
    const client = await nobody();
    const { run } = await client.start({ agent: 'scripted', prompt: 'go' });
    const starting = client.start({ agent: 'scripted', prompt: 'go' }, { id: run });
    await expect(starting).rejects.toMatchObject({ name: 'RunExists', run, state: 'running' });
    await expect(starting).rejects.toThrow(RunExists);
  });

  test('says that there is no such run', async () => {
    const client = await nobody();
    const run = `none-${randomUUID()}`;
    await expect(client.show(run)).rejects.toThrow(RunNotFound);
    await expect(client.result(run)).rejects.toThrow(RunNotFound);
    await expect(client.transcript(run)).rejects.toThrow(RunNotFound);
    await expect(client.send(run, 'hi')).rejects.toThrow(RunNotFound);
    await expect(client.cancel(run)).rejects.toThrow(RunNotFound);
    await expect(client.waitForWorker(run)).rejects.toThrow(RunNotFound);
    await expect(client.events(run)[Symbol.asyncIterator]().next()).rejects.toThrow(RunNotFound);
  });

  test('tells from a run that no worker takes it up, and shows it as waiting', async () => {
    const client = await nobody();
    const { run } = await client.start({ agent: 'scripted', prompt: 'go' });
    expect(await client.waitForWorker(run, { timeoutMs: 200 })).toBe(false);
    expect(await client.show(run)).toMatchObject({ state: 'running', status: 'starting', agent: 'scripted', turn: 0 });
    const told: RunEvent[] = [];
    for await (const event of client.events(run, { until: 'now' })) told.push(event);
    expect(told).toEqual([]);
  });

  test('tells from a run that a worker has it', async () => {
    await withHarness({ agents: [scriptedAgent()], adapter: callsOnce('echo') }, async ({ client }) => {
      const { run } = await client.start({ agent: 'scripted', prompt: 'go' });
      expect(await client.waitForWorker(run)).toBe(true);
    });
  });

  test('stops following without an error, and waiting with the reason', async () => {
    const client = await nobody();
    const { run } = await client.start({ agent: 'scripted', prompt: 'go' });
    const stop = new AbortController();
    const waiting = client.result(run, { signal: stop.signal });
    const following = (async () => {
      for await (const _ of client.events(run, { signal: stop.signal })) throw new Error('there is nothing to tell');
    })();
    await client.waitForWorker(run, { timeoutMs: 100 });
    stop.abort(new Error('enough'));
    await following;
    await expect(waiting).rejects.toThrow('enough');
  });

  test('lists runs by how they ended, each once', async () => {
    await withHarness({ agents: [scriptedAgent()], adapter: callsOnce('echo') }, async ({ client, temporal }) => {
      const done = await client.start({ agent: 'scripted', prompt: 'go' });
      const limited = await client.start({ agent: 'scripted', prompt: 'go', limits: { maxIterations: 1 } });
      const open = await client.start({ agent: 'scripted', mode: 'chat' });
      await Promise.all([client.result(done.run), client.result(limited.run)]);
      const idsOf = async (status: 'running' | 'completed' | 'limit_reached') =>
        (await client.list({ status })).map(({ run }) => run);
      await expect.poll(() => idsOf('completed')).toContain(done.run);
      await expect.poll(() => idsOf('limit_reached')).toContain(limited.run);
      await expect.poll(() => idsOf('running')).toContain(open.run);
      expect(await idsOf('completed')).not.toContain(limited.run);
      expect(await client.list({ limit: 1 })).toHaveLength(1);
      await temporal.workflow.getHandle(open.run).terminate();
    });
  });
});
