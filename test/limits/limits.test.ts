// Sizes that a payload cannot have: each ends by name, and none leaves a run that fails its workflow task for ever.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AgentDefinition, defineAgent } from '../../src/agents/agent.ts';
import type { AgentClient } from '../../src/client/agent-client.ts';
import { InvalidRequest } from '../../src/client/errors.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import { MAX_FAILURE_DETAILS_BYTES } from '../../src/protocol/limits.ts';
import { defineTool, type Tool } from '../../src/tools/tool.ts';
import { type Harness, withHarness } from '../support/harness.ts';
import { historyOf, kindOf } from '../support/histories.ts';
import { asks, says } from '../support/messages.ts';

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

async function expectNoFailedTask({ temporal }: Harness, run: string): Promise<void> {
  const kinds = (await historyOf(temporal, run)).map(kindOf);
  expect(kinds).not.toContain('workflowTaskFailed');
  expect(kinds).not.toContain('workflowTaskTimedOut');
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
      expect(shown).toContain('3000009'.replace(/(?=(\d{3})+$)/g, ' ').trim());
      await expectNoFailedTask(harness, run);
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
      await expectNoFailedTask(harness, run);
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
        await expectNoFailedTask(harness, run);
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
  // An iteration has about 15 events.
  const agent = (pages: number) => tester([read], { continueAsNewAfterEvents: 15 * pages });

  test.each([2, 4])('that cannot carry %i pages of 1.2 MB ends the run as payload_too_large', async (pages) => {
    await withHarness({ agents: [agent(pages)], model: { responses } }, async (harness) => {
      const { run } = await harness.client.start({ agent: 'tester', prompt: 'Read all.' });
      const result = await harness.client.result(run);
      expect(result).toMatchObject({ status: 'failed', reason: 'payload_too_large' });
      expect(result.text).toContain('Set up external storage');
      await expectNoFailedTask(harness, run);
    });
  });

  test('carries all pages with external storage', async () => {
    const storageDir = await mkdtemp(join(tmpdir(), 'pawl-storage-'));
    try {
      const model = { responses: [...responses, says('All read.')] };
      await withHarness({ agents: [agent(4)], model, storageDir }, async (harness) => {
        const { run } = await harness.client.start({ agent: 'tester', prompt: 'Read all.' });
        expect(await harness.client.result(run)).toMatchObject({ status: 'completed', text: 'All read.' });
        const types = (await harness.events(run)).map(({ type }) => type);
        expect(types).toContain('run_continued');
        expect(harness.fake.requests.at(-1)?.text.split(page)).toHaveLength(6);
        await expectNoFailedTask(harness, run);
      });
    } finally {
      await rm(storageDir, { recursive: true });
    }
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
      const closed = (await historyOf(temporal, workflowId)).at(-1)?.workflowExecutionFailedEventAttributes;
      expect(closed?.failure?.applicationFailureInfo?.type).toBe('Run.Failed');
      expect(JSON.stringify(closed?.failure).length).toBeLessThan(2 * MAX_FAILURE_DETAILS_BYTES);
      await expectNoFailedTask(harness, workflowId);
    });
  });
});
