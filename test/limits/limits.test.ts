// Sizes that a payload cannot have: each ends by name, and none leaves a run that fails its workflow task for ever.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { type AgentDefinition, defineAgent } from '../../src/agents/agent.ts';
import { AgentClient } from '../../src/client/agent-client.ts';
import { InvalidRequest } from '../../src/client/errors.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import { MAX_FAILURE_DETAILS_BYTES } from '../../src/protocol/limits.ts';
import type { Message, ResultBlock } from '../../src/protocol/messages.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { defineTool, type Tool } from '../../src/tools/tool.ts';
import { withHarness } from '../support/harness.ts';
import { historyOf, lostTasksOf } from '../support/histories.ts';
import { asks, says } from '../support/messages.ts';
import { testTemporal } from '../support/server.ts';

const MB = 1_000_000;
const base = { description: 'For the limits.', input: { type: 'object' }, effect: 'read' } as const;

function tester(tools: readonly Tool[], changes: Partial<AgentDefinition> = {}) {
  return defineAgent({ name: 'tester', instructions: 'x', model: 'anthropic/claude-fake-1', tools, ...changes });
}

/** The event with which a turn ended. */
async function endOfTurn(client: AgentClient, run: string, turn: number): Promise<RunEvent> {
  for await (const event of client.events(run)) if (event.type === 'turn_finished' && event.turn === turn) return event;
  throw new Error(`run ${run} ended before its turn ${turn} did`);
}

function resultsOf({ role, content }: Message): ResultBlock[] {
  return role === 'user' ? content.filter((block) => block.type === 'result') : [];
}

/** Runs a test's reading over a connection such as the command line makes: it takes long histories. */
async function reading<T>(read: (temporal: Client) => Promise<T>): Promise<T> {
  const { address } = testTemporal();
  const connection = await connectClient({ address, namespace: 'default', connectionOptions: {}, source: 'embedded' });
  try {
    return await read(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

async function expectNoFailedTask(run: string): Promise<void> {
  expect(await reading((temporal) => lostTasksOf(temporal, run))).toEqual([]);
}

describe('a tool result', () => {
  test('of 3 MB is cut for the model, and the run completes', async () => {
    const text = `first${'x'.repeat(3_000_000)}last`;
    const tool = defineTool({ ...base, name: 'dump', run: () => text });
    const responses = [asks(['dump']), says('Long.')];
    await withHarness({ agents: [tester([tool])], model: { responses } }, async (harness) => {
      const { run } = await harness.client.start({ agent: 'tester', prompt: 'Go.' });
      expect(await harness.client.result(run)).toMatchObject({ status: 'completed', text: 'Long.' });
      const shown = harness.fake.requests[1]?.text ?? '';
      expect(shown.length).toBeLessThan(tool.maxResultBytes + 10_000);
      expect(shown).toMatch(/firstx+.+xlast/s);
      expect(shown).toMatch(/3.000.009 bytes/);
      await expectNoFailedTask(run);
    });
  });
});

describe('what is new for the model', () => {
  test('ends the turn as payload_too_large where it fits into no payload, and the chat goes on', async () => {
    let begin = (): void => undefined;
    let release = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const hold = defineTool({
      ...base,
      name: 'hold',
      run: async () => {
        begin();
        await released;
        return 'held';
      },
    });
    const responses = [asks(['hold']), says('Still here.')];
    await withHarness({ agents: [tester([hold])], model: { responses } }, async (harness) => {
      const { client, fake } = harness;
      const { run } = await client.start({ agent: 'tester', prompt: 'Wait.', mode: 'chat' });
      await begun;
      await client.send(run, 'a'.repeat(1.2 * MB));
      await client.send(run, 'b'.repeat(1.2 * MB));
      release();
      expect(await endOfTurn(client, run, 1)).toMatchObject({ status: 'failed', reason: 'payload_too_large' });
      await client.send(run, 'Are you there?');
      expect(await endOfTurn(client, run, 2)).toMatchObject({ status: 'completed' });
      await client.close(run);
      expect(await client.result(run)).toMatchObject({ status: 'completed', text: 'Still here.', turns: 2 });
      expect(fake.requests).toHaveLength(2);
      expect(fake.rejections).toEqual([]);
      await expectNoFailedTask(run);
    });
  });
});

describe('a prompt of 5 MB', () => {
  const prompt = 'p'.repeat(5_000_000);

  test('is refused without external storage, before anything is sent', async () => {
    await withHarness({ agents: [tester([])] }, async ({ client }) => {
      const id = `too-large-${Date.now()}`;
      const started = client.start({ agent: 'tester', prompt }, { id });
      await expect(started).rejects.toThrow(InvalidRequest);
      await expect(started).rejects.toThrow(/request: has 50000\d\d bytes, and the limit is \d+ bytes/);
      await expect(client.show(id)).rejects.toThrow('There is no run');
    });
  });

  test('reaches the model with external storage', async () => {
    const storageDir = await mkdtemp(join(tmpdir(), 'pawl-storage-'));
    try {
      const model = { responses: [says('Read.'), says('Read again.')] };
      await withHarness({ agents: [tester([])], model, storageDir }, async (harness) => {
        const { client, fake } = harness;
        const { run } = await client.start({ agent: 'tester', prompt, mode: 'chat' });
        await endOfTurn(client, run, 1);
        await client.send(run, prompt);
        await client.close(run);
        expect(await client.result(run)).toMatchObject({ status: 'completed', text: 'Read again.', turns: 2 });
        expect(fake.requests.at(-1)?.text.split(prompt)).toHaveLength(3);
        await expectNoFailedTask(run);
      });
    } finally {
      await rm(storageDir, { recursive: true });
    }
  });
});

describe('a new link', () => {
  const page = 'y'.repeat(1.2 * MB);
  const read = defineTool({ ...base, name: 'read', maxResultBytes: 1.3 * MB, run: () => page });
  const responses = [1, 2, 3, 4, 5].map((n) => asks(['read', { n }]));
  // An iteration has about 15 events, so this link is full after two of them.
  const agent = tester([read], { continueAsNewAfterEvents: 30, limits: { maxIterations: 100 } });

  test('that could not carry the context is put off, and the run completes in the link that it has', async () => {
    const model = { responses: [...responses, says('All read.')] };
    await withHarness({ agents: [agent], model }, async (harness) => {
      const { run } = await harness.client.start({ agent: 'tester', prompt: 'Read all.' });
      expect(await harness.client.result(run)).toMatchObject({ status: 'completed', text: 'All read.' });
      await expectNoFailedTask(run);
    });
  });

  // It takes 40 MB of history, so it gets more time than others.
  test('that can be put off no longer ends the run as payload_too_large', async () => {
    const respond = (_: unknown, n: number) => asks(['read', { n }]);
    await withHarness({ agents: [agent], model: { respond } }, async (harness) => {
      const { run } = await harness.client.start({ agent: 'tester', prompt: 'Read for ever.' });
      const result = await harness.client.result(run);
      expect(result).toMatchObject({ status: 'failed', reason: 'payload_too_large' });
      expect(result.text).toContain('Set up external storage');
      await expectNoFailedTask(run);
    });
  }, 120_000);

  test('carries all pages with external storage', async () => {
    const storageDir = await mkdtemp(join(tmpdir(), 'pawl-storage-'));
    try {
      const model = { responses: [...responses, says('All read.')] };
      await withHarness({ agents: [agent], model, storageDir }, async (harness) => {
        const { run } = await harness.client.start({ agent: 'tester', prompt: 'Read all.' });
        expect(await harness.client.result(run)).toMatchObject({ status: 'completed', text: 'All read.' });
        const types = (await harness.events(run)).map(({ type }) => type);
        expect(types).toContain('run_continued');
        expect(harness.fake.requests.at(-1)?.text.split(page)).toHaveLength(6);
        await expectNoFailedTask(run);
      });
    } finally {
      await rm(storageDir, { recursive: true });
    }
  });
});

describe('a history of which one page is larger than a message of gRPC usually may be', () => {
  test('is followed to its end', async () => {
    const page = 'z'.repeat(1.2 * MB);
    const read = defineTool({ ...base, name: 'read', maxResultBytes: 1.3 * MB, run: () => page });
    // Twice a page each: as the result, and as what is new for the model.
    const responses = [1, 2].map((n) => asks(['read', { n }]));
    const model = { responses: [...responses, says('All read.')] };
    await withHarness({ agents: [tester([read])], model }, async ({ client: starter, taskQueue }) => {
      const { run } = await starter.start({ agent: 'tester', prompt: 'Read all.' });
      const shown = await reading(async (temporal) => {
        const client = new AgentClient({ client: temporal, taskQueue });
        expect(await client.result(run)).toMatchObject({ status: 'completed', text: 'All read.' });
        return (await client.transcript(run)).flatMap(resultsOf);
      });
      expect(shown.map(({ content }) => content)).toEqual([1, 2].map(() => [{ type: 'text', text: page }]));
    });
  });
});

describe('a failed run', () => {
  test('keeps its failure small, however long the error is', async () => {
    await withHarness({ agents: [tester([])] }, async (harness) => {
      const { temporal, taskQueue } = harness;
      const workflowId = `failed-${taskQueue}`;
      const request = { agent: 'n'.repeat(1.5 * MB), prompt: 'Go.' };
      const handle = await temporal.workflow.start('agentRun', { taskQueue, workflowId, args: [request] });
      await expect(handle.result()).rejects.toThrow();
      const events = await reading((client) => historyOf(client, workflowId));
      const closed = events.at(-1)?.workflowExecutionFailedEventAttributes;
      expect(closed?.failure?.applicationFailureInfo?.type).toBe('Run.Failed');
      expect(JSON.stringify(closed?.failure).length).toBeLessThan(2 * MAX_FAILURE_DETAILS_BYTES);
      await expectNoFailedTask(workflowId);
    });
  });
});
