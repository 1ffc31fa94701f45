// A run inside a workflow of a user's own.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDemoAdapter } from '../../src/adapters/demo.ts';
import { ModelError } from '../../src/adapters/model-adapter.ts';
import { defineAgent } from '../../src/agents/agent.ts';
import type { RunResult } from '../../src/protocol/run.ts';
import { scriptedModel } from '../client/scripted.ts';
import { type RunWorker, withRunWorker } from '../support/run-worker.ts';
import { quietRuntime } from '../support/runtime.ts';
import { testTemporal } from '../support/server.ts';

let folder: string;
let bundlePath: string;

beforeAll(async () => {
  quietRuntime();
  folder = await mkdtemp(join(tmpdir(), 'pawl-parent-'));
  bundlePath = join(folder, 'workflows.js');
  const workflowsPath = join(import.meta.dirname, 'parent-workflow.ts');
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
  await writeFile(bundlePath, code);
});
afterAll(() => rm(folder, { recursive: true }));

const refusing = scriptedModel(() => {
  throw new ModelError('auth', 'the key is not valid', { retryable: false });
});
const adapters = { good: async () => createDemoAdapter(), bad: async () => refusing };
const agents = ['good', 'bad'].map((name) => defineAgent({ name, instructions: 'x', model: `${name}/model` }));

/** The result that the parent reads of its child. */
async function ask({ temporal, taskQueue }: RunWorker, agent: string): Promise<RunResult> {
  const workflowId = `parent-${agent}-${taskQueue}`;
  return await temporal.workflow.execute('askAgent', { taskQueue, workflowId, args: [agent, 'Hello?'] });
}

test('a child run completes with its result, also where it failed', async () => {
  const { address } = testTemporal();
  await withRunWorker({ address, bundlePath, agents, adapters }, async (worker) => {
    expect(await ask(worker, 'good')).toMatchObject({ status: 'completed', turns: 1 });
    const failed = await ask(worker, 'bad');
    expect(failed).toMatchObject({ status: 'failed', reason: 'auth' });
    expect(failed.text).toContain('the key is not valid');
  });
});
