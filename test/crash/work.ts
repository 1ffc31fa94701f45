import type { Hooks } from '../../src/activities/hooks.ts';
import { createAnthropicAdapter } from '../../src/adapters/anthropic.ts';
import { createWorker } from '../../src/create-worker.ts';
import { connectWorker } from '../../src/temporal/connection.ts';
import { crashAgents } from './agents.ts';
import type { CrashSetup } from './fates.ts';

interface Work {
  /** What each handler does before it returns. */
  readonly handle: Parameters<typeof crashAgents>[0];
  readonly hooks: Hooks;
  readonly shutdownGraceMs?: number;
}

/** Works as a worker does in a process of its own, until it is stopped. */
export async function work(setup: CrashSetup, { handle, ...parts }: Work): Promise<void> {
  const { address, taskQueue, bundlePath, modelUrl, leasesDir } = setup;
  const connection = await connectWorker({ address, namespace: 'default', connectionOptions: {}, source: 'embedded' });
  const worker = await createWorker({
    agents: crashAgents(handle),
    adapters: { anthropic: async () => createAnthropicAdapter({ apiKey: 'test-key', baseUrl: modelUrl }) },
    connection,
    namespace: 'default',
    taskQueue,
    workflowBundle: { codePath: bundlePath },
    leasesDir,
    ...parts,
  });
  await worker.run();
  await connection.close();
}
