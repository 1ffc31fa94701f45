import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Agent } from '../../src/agents/agent.ts';
import { AgentClient } from '../../src/client/agent-client.ts';
import { type CreateWorkerOptions, createWorker } from '../../src/create-worker.ts';

type OfWorker = 'agents' | 'adapters' | 'hooks' | 'contextCacheBytes' | 'dataConverter' | 'storage';

/** Where the worker is to run, and what it serves. */
export interface RunWorkerOptions extends Pick<CreateWorkerOptions, OfWorker> {
  readonly address: string;
  /** Default `default`. */
  readonly namespace?: string;
  /** Path of the workflow bundle. */
  readonly bundlePath: string;
}

/** Histories are kept, and shall not tell of the machine that wrote them. */
const IDENTITY = 'test';

/** A worker on a queue of its own, and clients for it. */
export interface RunWorker {
  readonly client: AgentClient;
  readonly temporal: Client;
  readonly taskQueue: string;
  /** Stops the worker, and runs one with these agents in its place. */
  deploy(...agents: Agent[]): Promise<void>;
}

/** Runs a worker beside `work`, on any server, namespace and bundle, and takes it down whatever happens. */
export async function withRunWorker<T>(options: RunWorkerOptions, work: (worker: RunWorker) => Promise<T>): Promise<T> {
  const { address, namespace = 'default', bundlePath, ...ofWorker } = options;
  const { dataConverter } = ofWorker;
  const taskQueue = `test-${randomUUID()}`;
  const [connection, native] = await Promise.all([
    Connection.connect({ address }),
    NativeConnection.connect({ address }),
  ]);
  const start = async (agents: readonly Agent[]) => {
    const parts = { ...ofWorker, agents, namespace, taskQueue, connection: native, identity: IDENTITY };
    const worker = await createWorker({ ...parts, workflowBundle: { codePath: bundlePath }, shutdownGraceMs: 100 });
    const stopped = worker.run();
    return () => {
      worker.shutdown();
      return stopped;
    };
  };
  let stop = async (): Promise<void> => undefined;
  const deploy = async (...agents: Agent[]) => {
    await stop();
    stop = await start(agents);
  };
  try {
    await deploy(...ofWorker.agents);
    const temporal = new Client({ connection, namespace, identity: IDENTITY, dataConverter });
    return await work({ client: new AgentClient({ client: temporal, taskQueue }), temporal, taskQueue, deploy });
  } finally {
    await stop();
    await Promise.all([connection.close(), native.close()]);
  }
}
