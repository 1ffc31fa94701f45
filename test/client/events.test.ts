import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { digestAfter, headDigest } from '../../src/activities/digest.ts';
import { AgentClient } from '../../src/client/agent-client.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import { type AgentSnapshot, contextHead } from '../../src/protocol/snapshot.ts';
import { startDevServer } from '../../src/temporal/dev-server.ts';
import { freePorts } from '../../src/temporal/ports.ts';
import { collect } from '../support/events.ts';
import { type Harness, withHarness } from '../support/harness.ts';
import { testTemporal } from '../support/server.ts';
import { call, scriptedAgent, scriptedModel } from './scripted.ts';

const ITERATIONS = 6;
/** Calls two tools in each iteration but the last. */
const busyModel = scriptedModel(({ messages }) => {
  const iteration = (messages.length + 1) / 2;
  if (iteration >= ITERATIONS) return 'done';
  return [call(`a${iteration}`, 'echo', { text: `${iteration}` }), call(`b${iteration}`, 'quick_echo', { text: 'b' })];
});
/** Small links, so that a run of a few iterations has several. */
const manyLinks = { agents: [scriptedAgent({ continueAsNewAfterEvents: 15 })], adapter: busyModel };
const replies = scriptedModel(({ messages }) => `answer ${messages.length}`);

/** Temporal's run ids of a run's links, the newest first. */
async function linkIds({ temporal }: Harness, run: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { runId } of temporal.workflow.list({ query: `WorkflowId = '${run}'` })) ids.push(runId);
  return ids;
}

describe('a run of several links', () => {
  test('is told as one, and from every cursor on exactly what follows it', async () => {
    await withHarness(manyLinks, async ({ client, events }) => {
      const { run } = await client.start({ agent: 'scripted', prompt: 'go' });
      const all = await events(run);
      const links = new Set(all.map(({ cursor }) => cursor.split('.')[0]));
      expect(links.size).toBeGreaterThan(2);
      expect(all.filter(({ type }) => type === 'run_continued')).toHaveLength(links.size - 1);
      expect(all.filter(({ type }) => type === 'tool_call')).toHaveLength(2 * (ITERATIONS - 1));
      expect(all.filter(({ type }) => type === 'tool_result')).toHaveLength(2 * (ITERATIONS - 1));
      expect(all.find(({ type }) => type === 'usage')).toMatchObject({
        usage: { total: { inputTokens: 10 * ITERATIONS } },
      });
      for (const [index, { cursor }] of all.entries()) {
        expect(await collect(client.events(run, { after: cursor }))).toEqual(all.slice(index + 1));
      }
    });
  });

  test('gives its whole transcript from the newest link, with the digest of the result', async () => {
    await withHarness(manyLinks, async ({ client, temporal }) => {
      const { run, firstExecutionRunId } = await client.start({ agent: 'scripted', prompt: 'go' });
      const { transcript } = await client.result(run);
      const messages = await client.transcript(run);
      expect(messages).toHaveLength(transcript.length);
      const history = await temporal.workflow.getHandle(run, firstExecutionRunId).fetchHistory();
      const payload = history.events?.find((event) => event.markerRecordedEventAttributes)
        ?.markerRecordedEventAttributes?.details?.['result']?.payloads?.[0]?.data;
      const snapshot: AgentSnapshot = JSON.parse(Buffer.from(payload ?? []).toString());
      expect(digestAfter(headDigest(contextHead(snapshot)), messages)).toBe(transcript.digest);
    });
  });

  test('is listed and shown as one', async () => {
    await withHarness(manyLinks, async ({ client }) => {
      const { run } = await client.start({ agent: 'scripted', prompt: 'go' });
      await client.result(run);
      expect(await client.show(run)).toMatchObject({ status: 'completed', iteration: ITERATIONS, turn: 1 });
      await expect
        .poll(async () => (await client.list()).filter((row) => row.run === run))
        .toMatchObject([{ state: 'completed' }]);
    });
  });

  test('whose first links have expired is told from the first one that is left', async () => {
    await withHarness(manyLinks, async (harness) => {
      const { client, temporal, events } = harness;
      const { run } = await client.start({ agent: 'scripted', prompt: 'go' });
      const all = await events(run);
      const { workflowService } = temporal.connection;
      await expect.poll(async () => (await linkIds(harness, run)).length).toBeGreaterThan(2);
      for (const runId of (await linkIds(harness, run)).slice(-2)) {
        await workflowService.deleteWorkflowExecution({
          namespace: 'default',
          workflowExecution: { workflowId: run, runId },
        });
      }
      // The server deletes in its own time: seconds on an idle machine, and many on a busy one.
      await expect
        .poll(async () => (await events(run))[0], { timeout: 120_000, interval: 500 })
        .toMatchObject({ type: 'history_expired', links: [1, 2], cursor: '3.0.10' });
      const [expired, ...left] = await events(run);
      expect(left).toEqual(all.filter(({ cursor }) => Number(cursor.split('.')[0]) > 2));
      expect(await collect(client.events(run, { after: expired?.cursor }))).toEqual(left);
    });
  });
});

describe('a run that is reset', () => {
  test('is followed on, and read again as it is now', async () => {
    await withHarness({ agents: [scriptedAgent()], adapter: replies }, async ({ client, temporal, events }) => {
      const { run, firstExecutionRunId } = await client.start({ agent: 'scripted', prompt: 'one', mode: 'chat' });
      const followed: RunEvent[] = [];
      const following = (async () => {
        for await (const event of client.events(run)) followed.push(event);
      })();
      await expect.poll(() => followed.at(-1)?.type).toBe('turn_finished');
      const before = followed.length;
      const { events: history = [] } = await temporal.workflow.getHandle(run, firstExecutionRunId).fetchHistory();
      const lastTask = history?.findLast((event) => event.workflowTaskCompletedEventAttributes);
      await temporal.workflowService.resetWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId: run, runId: firstExecutionRunId },
        workflowTaskFinishEventId: lastTask?.eventId,
        requestId: randomUUID(),
        reason: 'a test',
      });
      await client.send(run, 'two');
      await client.close(run);
      await following;
      expect(followed.filter(({ type }) => type === 'run_finished')).toMatchObject([
        { result: { status: 'completed', turns: 2 } },
      ]);
      expect(followed.slice(before).map(({ type }) => type)).toContain('user_message');
      expect(followed.filter(({ type }) => type === 'run_started')).toHaveLength(1);
      const again = await events(run);
      expect(again.map(({ type }) => type).slice(-4)).toEqual(['usage', 'final_text', 'turn_finished', 'run_finished']);
      expect(again.filter(({ type }) => type === 'turn_started')).toHaveLength(2);
    });
  });
});

describe('a server that is killed and started again', () => {
  test('is waited for, and nothing is told twice', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-restart-'));
    const [port = 0, uiPort = 0] = await freePorts(2);
    const files = { databaseFile: join(folder, 'temporal.db'), logFile: join(folder, 'server.log') };
    const start = async () => {
      const server = startDevServer({ cli: testTemporal().temporalCli, port, uiPort, ...files });
      onTestFinished(() => kill(server.pid));
      await server.ready();
      return server;
    };
    const server = await start();
    const temporal = new Client({ connection: await Connection.connect({ address: server.address }) });
    const client = new AgentClient({ client: temporal, taskQueue: 'nobody' });
    const { run } = await client.start({ agent: 'scripted', prompt: 'go' });
    const following = collect(client.events(run));
    expect(await client.waitForWorker(run, { timeoutMs: 100 })).toBe(false);
    kill(server.pid);
    await start();
    await expect.poll(() => temporal.workflow.getHandle(run).terminate('over'), { timeout: 30_000 }).toBeDefined();
    expect(await following).toMatchObject([
      { type: 'run_started' },
      { type: 'run_finished', result: { status: 'cancelled' } },
    ]);
  });
});

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error; // it is gone already
  }
}
