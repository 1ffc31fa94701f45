// Workers with the given tools and the smallest workflows, on the test server.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode } from '@temporalio/worker';
import { inject } from 'vitest';
import type { ModelAdapter } from '../../src/adapters/model-adapter.ts';
import { defineAgent } from '../../src/agents/agent.ts';
import { type CreateWorkerOptions, createWorker } from '../../src/create-worker.ts';
import type { Tool } from '../../src/tools/tool.ts';

export interface ActivityServer {
  readonly env: TestWorkflowEnvironment;
  readonly folder: string;
  /** Starts a worker on a queue of its own, and stops it. */
  startWorker(taskQueue: string, options: WorkerParts): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

interface WorkerParts extends Partial<CreateWorkerOptions> {
  readonly tools?: readonly Tool[];
  readonly adapter?: ModelAdapter;
}

export async function startServer(): Promise<ActivityServer> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-activities-'));
  const { address } = inject('temporal');
  const env = await TestWorkflowEnvironment.createFromExistingServer({ address });
  const workflowsPath = fileURLToPath(new URL('./workflows.ts', import.meta.url));
  const codePath = join(folder, 'workflows.js');
  await writeFile(codePath, (await bundleWorkflowCode({ workflowsPath })).code);
  return {
    env,
    folder,
    startWorker: async (taskQueue, { tools = [], adapter, ...options }) => {
      const worker = await createWorker({
        agents: [defineAgent({ name: 'tester', instructions: '', model: 'fake/one', tools })],
        adapters: adapter ? { fake: async () => adapter } : {},
        connection: env.nativeConnection,
        namespace: env.namespace ?? 'default',
        taskQueue,
        workflowBundle: { codePath },
        ...options,
      });
      const stopped = worker.run();
      return async () => {
        worker.shutdown();
        await stopped;
      };
    },
    stop: async () => {
      await env.teardown();
      await rm(folder, { recursive: true });
    },
  };
}
