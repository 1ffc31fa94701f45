import type { Hooks } from '../../src/activities/hooks.ts';
import { createAnthropicAdapter } from '../../src/adapters/anthropic.ts';
import type { ModelAdapter } from '../../src/adapters/model-adapter.ts';
import type { Agent } from '../../src/agents/agent.ts';
import type { AgentClient } from '../../src/client/agent-client.ts';
import type { RunEvent, RunEventType } from '../../src/protocol/events.ts';
import { createDataConverter } from '../../src/temporal/data-converter.ts';
import { type FakeModelApi, type FakeModelApiOptions, startFakeModelApi } from '../fake-model-api/fake-model-api.ts';
import { collect } from './events.ts';
import { type RunWorker, withRunWorker } from './run-worker.ts';
import { quietRuntime } from './runtime.ts';
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
export interface Harness extends RunWorker {
  readonly fake: FakeModelApi;
  /** All events of a run, up to its end. */
  events(run: string): Promise<RunEvent[]>;
}

/** Runs a test with a harness of its own on the shared server, and takes it down whatever happens. */
export async function withHarness(options: HarnessOptions, test: (harness: Harness) => Promise<void>): Promise<void> {
  const { model, adapter, storageDir, agents, hooks, contextCacheBytes } = options;
  quietRuntime();
  const fake = await startFakeModelApi(model ?? { responses: [] });
  const adapters = {
    anthropic: async () => createAnthropicAdapter({ apiKey: 'test-key', baseUrl: fake.url }),
    test: async () => adapter ?? noAdapter(),
  };
  const storage = storageDir === undefined ? {} : { storage: true, dataConverter: createDataConverter({ storageDir }) };
  const { address, bundlePath } = testTemporal();
  try {
    const parts = { address, bundlePath, agents, adapters, hooks, contextCacheBytes, ...storage };
    await withRunWorker(parts, (worker) =>
      test({ ...worker, fake, events: (run) => collect(worker.client.events(run)) }),
    );
  } finally {
    await fake.close();
  }
}

function noAdapter(): never {
  throw new Error('this test has no adapter of its own');
}

/** Resolves with the first event of a type. */
export async function eventOf(client: AgentClient, run: string, type: RunEventType): Promise<RunEvent> {
  for await (const event of client.events(run)) if (event.type === type) return event;
  throw new Error(`run ${run} ended without ${type}`);
}
