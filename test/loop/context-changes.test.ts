// Contexts that follow each other within a run, by summaries and by deploys: what readers see of it, from anywhere.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import type { Agent, AgentDefinition } from '../../src/agents/agent.ts';
import { messagesProblem } from '../../src/protocol/check-messages.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import { addUsage, NO_USAGE } from '../../src/protocol/run.ts';
import { createDataConverter } from '../../src/temporal/data-converter.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { answer } from '../fake-model-api/samples.ts';
import { collect, turnFinished } from '../support/events.ts';
import { type Harness, type HarnessOptions, withHarness } from '../support/harness.ts';
import { historyOf, lostTasksOf } from '../support/histories.ts';
import { says } from '../support/messages.ts';
import { testTemporal } from '../support/server.ts';
import { compaction, parts, read, reader } from './reader.ts';

const extra = defineTool({ ...read, name: 'extra', description: 'More.', input: { type: 'object' }, run: () => 'x' });

const linked = (changes: Partial<AgentDefinition> = {}): Agent => reader({ continueAsNewAfterEvents: 60, ...changes });
const other = () => linked({ instructions: 'Be very brief.', tools: [read, extra] });

const refusal = { ...answer(), stop_reason: 'refusal' };

/** What holds of every run that is over, whatever happened in it. */
async function expectWhole({ client, temporal, fake }: Harness, run: string, storageDir?: string): Promise<RunEvent[]> {
  const result = await client.result(run);
  const all = await collect(client.events(run));
  for (let n = 0; n < all.length; n += 12) {
    const rest = await collect(client.events(run, { after: all[n]?.cursor ?? '' }));
    expect(rest.map((event) => JSON.stringify(event))).toEqual(all.slice(n + 1).map((event) => JSON.stringify(event)));
  }
  const paid = all.map((event) => ('usage' in event && 'inputTokens' in event.usage ? event.usage : NO_USAGE));
  expect(paid.reduce(addUsage, NO_USAGE)).toEqual(result.usage);
  expect(result.usage.inputTokens).toBe(20 * (fake.requests.length - fake.rejections.length));
  const transcript = await client.transcript(run);
  expect(messagesProblem(transcript)).toBeUndefined();
  expect(transcript).toHaveLength(result.transcript.length);
  expect(await lostTasksOf(temporal, run)).toEqual([]);
  const dataConverter = storageDir === undefined ? undefined : createDataConverter({ storageDir });
  for await (const { workflowId, runId } of temporal.workflow.list({ query: `WorkflowId = "${run}"` })) {
    const history = { events: await historyOf(temporal, workflowId, runId) };
    await Worker.runReplayHistory(
      { workflowBundle: { codePath: testTemporal().bundlePath }, dataConverter },
      history,
      workflowId,
    );
  }
  return all;
}

describe.each<[string, Partial<HarnessOptions>]>([
  ['without the context cache', { contextCacheBytes: 0 }],
  ['with external storage', { storageDir: 'yes' }],
])('a chat of many contexts and links, %s', (_, options) => {
  test('is the same from wherever it is read, pays for each call once, and replays', async () => {
    const storageDir = options.storageDir && (await mkdtemp(join(tmpdir(), 'pawl-storage-')));
    const responses = [
      ...[...parts(6), says('Six.')],
      refusal,
      ...[...parts(6), says('Twelve.')],
      ...[...parts(6), refusal],
      ...[...parts(3), says('End.')],
    ];
    const model = { responses, compaction };
    try {
      await withHarness({ agents: [linked()], model, ...options, storageDir }, async (harness) => {
        const { client, fake, deploy } = harness;
        const { run } = await client.start({ agent: 'reader', prompt: 'Read.', mode: 'chat' });
        await turnFinished(client, run, 1);
        for (const [turn, agent] of [
          [2, other()],
          [3, linked()],
          [4, other()],
          [5, linked()],
        ] as const) {
          await deploy(agent);
          await client.send(run, `Go on, ${turn}.`);
          await turnFinished(client, run, turn);
        }
        await client.close(run);
        expect(await client.result(run)).toMatchObject({ status: 'completed', text: 'End.', turns: 5 });
        expect(fake.rejections).toEqual([]);
        const all = await expectWhole(harness, run, storageDir);
        const types = all.map(({ type }) => type);
        expect(types.filter((type) => type === 'agent_changed')).toHaveLength(4);
        expect(types.filter((type) => type === 'compacted').length).toBeGreaterThan(3);
        expect(types.filter((type) => type === 'run_continued').length).toBeGreaterThan(0);
      });
    } finally {
      if (storageDir) await rm(storageDir, { recursive: true });
    }
  });
});

describe('a summary', () => {
  test('that a worker leaves unfinished is asked for again by the next one, which asks the run for its context', async () => {
    let summaries = 0;
    const hanging = { ...says('Never.'), delay_before_headers_ms: 60_000 };
    const script = [...parts(6), says('Six.')];
    const respond = ({ body }: { body: unknown }) => {
      if ((body as { model: string }).model !== 'claude-fake-short') return script.shift() ?? says('More?');
      return ++summaries === 1 ? hanging : says('Parts were read.');
    };
    await withHarness({ agents: [linked()], model: { respond } }, async (harness) => {
      const { client, fake, deploy } = harness;
      const { run } = await client.start({ agent: 'reader', prompt: 'Read.' });
      await summaryAsked(fake);
      await deploy(other());
      expect(await client.result(run)).toMatchObject({ status: 'completed', text: 'Six.' });
      const all = await collect(client.events(run));
      expect(all.find(({ type }) => type === 'compacted')).toMatchObject({ attempts: 2 });
      expect(messagesProblem(await client.transcript(run))).toBeUndefined();
    });
  });

  test('is given up when the run is cancelled', async () => {
    const hanging = { ...says('Never.'), delay_before_headers_ms: 60_000 };
    const model = { responses: parts(6), compaction: { ...compaction, response: hanging } };
    await withHarness({ agents: [linked()], model }, async (harness) => {
      const { client, fake } = harness;
      const { run } = await client.start({ agent: 'reader', prompt: 'Read.' });
      const index = await summaryAsked(fake);
      await client.cancel(run);
      const result = await client.result(run);
      expect(result).toMatchObject({ status: 'cancelled', reason: 'user_cancelled' });
      expect(result.usage.inputTokens).toBe(20 * index);
      expect(messagesProblem(await client.transcript(run))).toBeUndefined();
      expect(await client.transcript(run)).toHaveLength(result.transcript.length + 1); // with the results that waited
    });
  });
});

/** Waits until a summary is asked for; gives the number of requests before. */
async function summaryAsked(fake: Harness['fake']): Promise<number> {
  for (let n = 0; ; n++) if ((await fake.waitForRequest(n)).model === 'claude-fake-short') return n;
}
