import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import type { Hooks } from '../../src/activities/hooks.ts';
import { createAnthropicAdapter } from '../../src/adapters/anthropic.ts';
import type { ModelAdapter } from '../../src/adapters/model-adapter.ts';
import type { Agent } from '../../src/agents/agent.ts';
import { AgentClient } from '../../src/client/agent-client.ts';
import { createWorker } from '../../src/create-worker.ts';
import type { RunEvent, RunEventType } from '../../src/protocol/events.ts';
import { createDataConverter } from '../../src/temporal/data-converter.ts';
import { type FakeModelApi, type FakeModelApiOptions, startFakeModelApi } from '../fake-model-api/fake-model-api.ts';
import { testTemporal } from './server.ts';

export interface HarnessOptions {
  readonly agents: readonly Agent[];
  /** The fake Messages API behind the provider `anthropic`. */
  readonly model?: FakeModelApiOptions;
  /** An adapter of the test's own, as the provider `test`. */
  readonly adapter?: ModelAdapter;
  readonly hooks?: Hooks;
  readonly contextCacheBytes?: number;
  /** Folder of the external storage; without one there is none. */
  readonly storageDir?: string;
}

/** A worker in this process on a queue of its own, a client for it, and the fake model behind it. */
export interface Harness {
  readonly client: AgentClient;
  readonly temporal: Client;
  readonly fake: FakeModelApi;
  readonly taskQueue: string;
  events(run: string): Promise<RunEvent[]>;
}

/** Runs a test with a harness of its own, and takes it down whatever happens. */
export async function withHarness(options: HarnessOptions, test: (harness: Harness) => Promise<void>): Promise<void> {
  const { harness, stop } = await startHarness(options);
  try {
    await test(harness);
  } finally {
    await stop();
  }
}

async function startHarness(options: HarnessOptions): Promise<{ harness: Harness; stop(): Promise<void> }> {
  const { address, bundlePath } = testTemporal();
  const fake = await startFakeModelApi(options.model ?? { responses: [] });
  quietRuntime();
  const connection = await NativeConnection.connect({ address });
  const taskQueue = `test-${randomUUID()}`;
  const { storageDir } = options;
  const dataConverter = storageDir === undefined ? undefined : createDataConverter({ storageDir });
  const worker = await createWorker({
    agents: options.agents,
    adapters: {
      anthropic: async () => createAnthropicAdapter({ apiKey: 'test-key', baseUrl: fake.url }),
      test: async () => options.adapter ?? noAdapter(),
    },
    hooks: options.hooks,
    connection,
    namespace: 'default',
    taskQueue,
    dataConverter,
    storage: storageDir !== undefined,
    workflowBundle: { codePath: bundlePath },
    contextCacheBytes: options.contextCacheBytes,
    shutdownGraceMs: 100,
  });
  const running = worker.run();
  const clientConnection = await Connection.connect({ address });
  const temporal = new Client({ connection: clientConnection, dataConverter });
  const client = new AgentClient({ client: temporal, taskQueue });
  const stop = async () => {
    worker.shutdown();
    await running;
    await Promise.all([clientConnection.close(), connection.close(), fake.close()]);
  };
  return { harness: { client, temporal, fake, taskQueue, events: (run) => collect(client.events(run)) }, stop };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function noAdapter(): never {
  throw new Error('this test has no adapter of its own');
}

let installed = false;

/** Failing attempts are what these tests make on purpose; their warnings would hide everything else. */
function quietRuntime(): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
  });
}

/** Resolves with the first event of a type. */
export async function eventOf(client: AgentClient, run: string, type: RunEventType): Promise<RunEvent> {
  for await (const event of client.events(run)) if (event.type === type) return event;
  throw new Error(`run ${run} ended without ${type}`);
}
