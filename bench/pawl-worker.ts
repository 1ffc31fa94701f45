import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Hooks } from '../src/activities/hooks.ts';
import { createAnthropicAdapter } from '../src/adapters/anthropic.ts';
import { type Agent, defineAgent } from '../src/agents/agent.ts';
import { createWorker, type PawlWorker } from '../src/create-worker.ts';
import { connectWorker } from '../src/temporal/connection.ts';
import { createDataConverter } from '../src/temporal/data-converter.ts';
import { defineTool, type ToolCall } from '../src/tools/tool.ts';
import { TOOL_NAMES } from './job.ts';

/** Name of the one agent of the benches. */
export const AGENT = 'bench';

/** What a worker process is told. */
export interface WorkerSetup {
  readonly address: string;
  readonly taskQueue: string;
  readonly bundlePath: string;
  /** Of the fake Messages API. */
  readonly modelUrl: string;
  /** As PAWL_HOME: lease journals and stored payloads. */
  readonly home: string;
  /** Bytes of one tool result. */
  readonly resultBytes: number;
  /** Whether the tools are ordinary activities or `quick`. */
  readonly tools: 'ordinary' | 'quick';
}

/** A handler; the default gives bytes that no compression makes smaller. */
export type Handle = (name: string, call: ToolCall) => unknown;

/** The product's worker with everything that `npm start` gives it: lease journal, storage on disk, a prebuilt bundle. */
export async function createBenchWorker(
  setup: WorkerSetup,
  own: { readonly hooks?: Hooks; readonly handle?: Handle } = {},
): Promise<PawlWorker> {
  const { address, taskQueue, bundlePath, modelUrl, home } = setup;
  return await createWorker({
    agents: [benchAgent(setup, own.handle ?? (() => incompressible(setup.resultBytes)))],
    adapters: { anthropic: async () => createAnthropicAdapter({ apiKey: 'bench-key', baseUrl: modelUrl }) },
    hooks: own.hooks,
    connection: await connectWorker({ address, namespace: 'default', connectionOptions: {}, source: 'embedded' }),
    namespace: 'default',
    taskQueue,
    dataConverter: createDataConverter({ storageDir: join(home, 'payloads') }),
    storage: true,
    workflowBundle: { codePath: bundlePath },
    leasesDir: join(home, 'leases'),
  });
}

function benchAgent({ tools }: WorkerSetup, handle: Handle): Agent {
  return defineAgent({
    name: AGENT,
    instructions: 'Read everything.',
    model: 'anthropic/bench',
    tools: TOOL_NAMES.map((name) =>
      defineTool({
        name,
        description: 'Reads something long.',
        input: { type: 'object', properties: { page: { type: 'integer' } }, required: ['page'] },
        effect: 'read',
        quick: tools === 'quick',
        run: (_, call) => handle(name, call),
      }),
    ),
  });
}

/** A text of so many bytes that no compression makes much smaller. */
export function incompressible(bytes: number): string {
  return randomBytes(Math.ceil((bytes * 3) / 4))
    .toString('base64')
    .slice(0, bytes);
}
