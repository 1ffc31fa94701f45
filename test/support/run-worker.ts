import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { AgentClient } from '../../src/client/agent-client.ts';
import { type CreateWorkerOptions, createWorker } from '../../src/create-worker.ts';

/** Where the worker is to run, and what it serves. */
export interface RunWorkerOptions extends Pick<CreateWorkerOptions, 'agents' | 'adapters' | 'hooks'> {
  readonly address: string;
  /** Default `default`. */
  readonly namespace?: string;
  /** Path of the workflow bundle. */
  readonly bundlePath: string;
}

/** A worker on a queue of its own, and clients for it. */
export interface RunWorker {
  readonly client: AgentClient;
  readonly temporal: Client;
  readonly taskQueue: string;
}

/** Runs a worker beside `work`, on any server, namespace and bundle, and takes it down whatever happens. */
export async function withRunWorker<T>(options: RunWorkerOptions, work: (worker: RunWorker) => Promise<T>): Promise<T> {
  const { address, namespace = 'default', bundlePath, agents, adapters, hooks } = options;
  const taskQueue = `test-${randomUUID()}`;
  const [connection, native] = await Promise.all([
    Connection.connect({ address }),
    NativeConnection.connect({ address }),
  ]);
  try {
    const parts = { agents, adapters, hooks, namespace, taskQueue, connection: native, shutdownGraceMs: 100 };
    const worker = await createWorker({ ...parts, workflowBundle: { codePath: bundlePath } });
    const running = worker.run();
    try {
      const temporal = new Client({ connection, namespace });
      return await work({ client: new AgentClient({ client: temporal, taskQueue }), temporal, taskQueue });
    } finally {
      worker.shutdown();
      await running;
    }
  } finally {
    await Promise.all([connection.close(), native.close()]);
  }
}
