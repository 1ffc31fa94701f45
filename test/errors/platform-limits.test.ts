// Limits of Temporal that a run or its callers can reach: a named refusal, or a run that goes on. None is lost.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { ModelRequest } from '../../src/adapters/model-adapter.ts';
import { defineAgent } from '../../src/agents/agent.ts';
import type { AgentClient } from '../../src/client/agent-client.ts';
import { InvalidRequest, RunBusy } from '../../src/client/errors.ts';
import { MAX_ERROR_TEXT_BYTES } from '../../src/protocol/limits.ts';
import type { SendRequest } from '../../src/protocol/run.ts';
import { defineTool, type Tool } from '../../src/tools/tool.ts';
import { call, type Reply, scriptedAgent, scriptedModel } from '../client/scripted.ts';
import { type Harness, withHarness } from '../support/harness.ts';
import { lostTasksOf } from '../support/histories.ts';
import { asks, says } from '../support/messages.ts';
import { withRunWorker } from '../support/run-worker.ts';
import { startTestServer, testTemporal } from '../support/server.ts';

const MIB = 1024 * 1024;

function tester(tools: readonly Tool[] = [], modelAttempts = 2) {
  return defineAgent({ name: 'tester', instructions: 'x', model: 'anthropic/claude-fake-1', tools, modelAttempts });
}

async function expectNoFailedTask({ temporal }: Pick<Harness, 'temporal'>, run: string): Promise<void> {
  expect(await lostTasksOf(temporal, run)).toEqual([]);
}

/** The texts of all that was said to a run after its start, in order. */
async function saidIn(client: AgentClient, run: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const event of client.events(run)) {
    if (event.type === 'user_message' && typeof event.prompt === 'string') texts.push(event.prompt);
  }
  return texts;
}

describe('a message between 2 and 4 MiB', () => {
  const large = 'm'.repeat(2.5 * MIB);

  it('is refused before it is sent, and the run goes on', async () => {
    const model = { responses: [says('One.'), says('Two.')] };
    await withHarness({ agents: [tester()], model }, async (harness) => {
      const { client } = harness;
      const { run } = await client.start({ agent: 'tester', prompt: 'Go.', mode: 'chat' });
      const sent = client.send(run, large);
      await expect(sent).rejects.toThrow(InvalidRequest);
      await expect(sent).rejects.toThrow(/^prompt: has 2621\d+ bytes, and the limit is \d+ bytes\. Send less at once/);
      await client.send(run, 'More.');
      await client.close(run);
      expect(await client.result(run)).toMatchObject({ status: 'completed', turns: 2 });
      await expectNoFailedTask(harness, run);
    });
  });

  it('from a client that does not check stops the run for as long as the server holds it, and no longer', async () => {
    const model = { responses: [says('One.'), says('Two.')] };
    await withHarness({ agents: [tester()], model }, async ({ client, temporal }) => {
      const { run } = await client.start({ agent: 'tester', prompt: 'Go.', mode: 'chat' });
      await client.waitForWorker(run);
      const args: [SendRequest] = [{ requestId: randomUUID(), prompt: large }];
      const raw = temporal.connection.withDeadline(Date.now() + 3_000, () =>
        temporal.workflow.getHandle(run).executeUpdate<unknown, [SendRequest]>('send', { args }),
      );
      await expect(raw).rejects.toThrow();
      const requestId = randomUUID();
      const sent = () =>
        client.send(run, 'Are you there?', { requestId }).then(
          () => true,
          () => false,
        );
      await vi.waitUntil(sent, { timeout: 50_000, interval: 1_000 });
      await client.close(run);
      expect(await client.result(run)).toMatchObject({ status: 'completed' });
      expect(await saidIn(client, run)).toEqual(['Are you there?']);
    });
  });
});

describe('an error of 5 MB', () => {
  it('of a tool is cut for the model, and the run completes', async () => {
    const fail = () => {
      throw new Error(`first${'e'.repeat(5_000_000)}`);
    };
    const description = 'Fails.';
    const tool = defineTool({
      name: 'fail',
      description,
      input: { type: 'object' },
      effect: 'read',
      maxAttempts: 2,
      run: fail,
    });
    const responses = [asks(['fail']), says('It failed.')];
    await withHarness({ agents: [tester([tool])], model: { responses } }, async (harness) => {
      const { run } = await harness.client.start({ agent: 'tester', prompt: 'Go.' });
      expect(await harness.client.result(run)).toMatchObject({ status: 'completed', text: 'It failed.' });
      const result = (await harness.events(run)).find(({ type }) => type === 'tool_result');
      expect(result).toMatchObject({ outcome: 'failed', attempts: 2 });
      expect(JSON.stringify(result)).toContain('first');
      expect(JSON.stringify(result).length).toBeLessThan(2 * MAX_ERROR_TEXT_BYTES);
      await expectNoFailedTask(harness, run);
    });
  });

  it('of a model ends the run by its words, cut', async () => {
    const adapter = scriptedModel(() => {
      throw new Error(`first${'e'.repeat(5_000_000)}`);
    });
    await withHarness({ agents: [scriptedAgent({ modelAttempts: 2 })], adapter }, async (harness) => {
      const { run } = await harness.client.start({ agent: 'scripted', prompt: 'Go.' });
      const result = await harness.client.result(run);
      expect(result.status).toBe('failed');
      expect(result.text).toContain('first');
      expect(result.text.length).toBeLessThan(2 * MAX_ERROR_TEXT_BYTES);
      await expectNoFailedTask(harness, run);
    });
  });
});

it('thirty messages at the same time, where ten updates may be in flight, are all taken once', async () => {
  const adapter = scriptedModel(() => 'Noted.');
  await withHarness({ agents: [scriptedAgent()], adapter }, async (harness) => {
    const { client } = harness;
    const { run } = await client.start({ agent: 'scripted', prompt: 'Go.', mode: 'chat' });
    const texts = Array.from({ length: 30 }, (_, n) => `message ${n}`);
    await Promise.all(texts.map((text) => client.send(run, text)));
    await client.close(run);
    expect(await client.result(run)).toMatchObject({ status: 'completed' });
    expect((await saidIn(client, run)).sort()).toEqual(texts.sort());
    await expectNoFailedTask(harness, run);
  });
});

/** Calls the tool that waits for its end where it is asked to use one. */
function waitWhenAsked({ messages }: ModelRequest): Reply {
  const said = JSON.stringify(messages.at(-1));
  return said.includes('Use the tool.') ? [call('c1', 'wait', { text: 'x' })] : 'Noted.';
}

describe('a server that takes twenty updates a link', () => {
  async function withServer(work: (client: AgentClient) => Promise<void>): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-updates-'));
    const { temporalCli, bundlePath } = testTemporal();
    const cli = join(folder, 'temporal');
    const limit = '--dynamic-config-value history.maxTotalUpdates=20';
    writeFileSync(cli, `#!/bin/sh\nexec '${temporalCli}' "$@" ${limit}\n`, { mode: 0o755 });
    const server = await startTestServer(cli);
    const adapters = { test: async () => scriptedModel(waitWhenAsked) };
    try {
      await withRunWorker({ address: server.address, bundlePath, agents: [scriptedAgent()], adapters }, ({ client }) =>
        work(client),
      );
    } finally {
      server.stop();
      rmSync(folder, { recursive: true });
    }
  }

  it('is followed over several links, and no message is lost or taken twice', async () => {
    await withServer(async (client) => {
      const { run } = await client.start({ agent: 'scripted', prompt: 'Go.', mode: 'chat' });
      const texts = Array.from({ length: 45 }, (_, n) => `message ${n}`);
      for (const text of texts) await client.send(run, text);
      await client.close(run);
      expect(await client.result(run)).toMatchObject({ status: 'completed' });
      expect((await client.show(run)).link).toBeGreaterThan(2);
      expect(await saidIn(client, run)).toEqual(texts);
    });
  });

  it('refuses the twenty-first message of one turn by name, and the run goes on', async () => {
    await withServer(async (client) => {
      const { run } = await client.start({ agent: 'scripted', prompt: 'Use the tool.', mode: 'chat' });
      const texts = Array.from({ length: 20 }, (_, n) => `message ${n}`);
      for (const text of texts) await client.send(run, text);
      await expect(client.send(run, 'One more.')).rejects.toThrow(RunBusy);
      await client.cancel(run);
      expect(await client.result(run)).toMatchObject({ status: 'cancelled' });
    });
  });
});
