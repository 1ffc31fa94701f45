import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { type NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { createCompleteAttempt } from './activities/complete-attempt.ts';
import { ContextCache } from './activities/context-cache.ts';
import { FinishedResults } from './activities/finished-results.ts';
import type { Hooks } from './activities/hooks.ts';
import { createActivities } from './activities/index.ts';
import { LeaseJournal } from './activities/leases.ts';
import { createCostOf, type Prices } from './activities/prices.ts';
import { createHasSearchAttributes } from './activities/search-attributes.ts';
import { takeOver } from './activities/take-over.ts';
import { type AdapterFactories, createModels, type Models } from './adapters/by-name.ts';
import type { Agent } from './agents/agent.ts';
import { CONTEXT_CACHE_BYTES, MAX_PAYLOAD_BYTES, MAX_STORED_PAYLOAD_BYTES } from './protocol/limits.ts';
import { isAlive, ownIdentity } from './temporal/process-identity.ts';
import { DefinitionError, printed } from './tools/definition-error.ts';
import { createRegistry, type ToolRegistry } from './tools/registry.ts';

/** A cancel reaches a running activity with the answer to a heartbeat, and live text with the heartbeat itself. */
const HEARTBEAT_THROTTLE_MS = 250;
/** After the death of a worker its cached runs are tried there first; a second is all that this may cost. */
const STICKY_TIMEOUT_MS = 1_000;
/** Time for running activities to end by themselves when the worker stops. */
export const SHUTDOWN_GRACE_MS = 10_000;
/** Runs in memory. Each holds its whole context, up to some MiB; one that was dropped costs a replay. */
const MAX_CACHED_RUNS = 200;
/** As many polls as there is work, from one when idle. */
const POLLERS = { type: 'autoscaling' } as const;

export interface CreateWorkerOptions {
  /** The agents that runs may ask for. */
  readonly agents: readonly Agent[];
  /** How to make each provider's adapter. */
  readonly adapters: AdapterFactories;
  readonly hooks?: Hooks;
  /** Stays the caller's: to be closed after `run` has returned. */
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  /** Must have external storage exactly where `storage` is true; clients need the same one. */
  readonly dataConverter?: DataConverter;
  /** Whether payloads over the server's 2 MiB can be delivered. Default false. */
  readonly storage?: boolean;
  /** A prebuilt bundle. Without one the workflows are bundled at start, which takes seconds. */
  readonly workflowBundle?: { readonly codePath: string };
  /** Folder of the lease journal, shared by the workers of this machine. Without it a crash costs the heartbeat time-out. */
  readonly leasesDir?: string;
  /** Default 10,000. */
  readonly shutdownGraceMs?: number;
  /** Default 100 MiB; 0 keeps no context, so that each model call asks its run. */
  readonly contextCacheBytes?: number;
  /** Prices of models by `provider/model`, before the packaged ones. */
  readonly prices?: Prices;
  /** As the Temporal UI shows it. Default `pid@host`. */
  readonly identity?: string;
}

export type { Hooks } from './activities/hooks.ts';
export type { ModelPrice, Prices } from './activities/prices.ts';
export type { AdapterFactories } from './adapters/by-name.ts';

/** A worker that polls from `run` on. */
export interface PawlWorker {
  /** Returns after a graceful stop: by `shutdown`, or by a signal that the SDK's runtime listens for. Rejects where the worker broke. */
  run(): Promise<void>;
  /** Stops taking work and hands running activities back after the grace. May be called at any time, more than once. */
  shutdown(): void;
}

/**
 * Makes a worker for these agents, and takes over what dead workers of this machine left behind. Throws
 * {@link DefinitionError} with all faults of the agents at once, before anything is asked of the server.
 */
export async function createWorker(options: CreateWorkerOptions): Promise<PawlWorker> {
  const registry = registryOf(options.agents);
  const leases = options.leasesDir === undefined ? undefined : new LeaseJournal(options.leasesDir, ownIdentity());
  const rescued = rescue(options);
  try {
    const models = createModels(options.adapters);
    const worker = await Worker.create(workerOptions(options, { registry, models, leases }));
    return running(worker, leases, Promise.all([rescued, prepare(models, options.agents)]));
  } catch (error) {
    leases?.remove();
    throw error;
  }
}

function running(worker: Worker, leases: LeaseJournal | undefined, beside: Promise<unknown>): PawlWorker {
  let stopping = false;
  return {
    async run() {
      const stopped = worker.run();
      if (stopping) worker.shutdown();
      await stopped;
      await beside;
      leases?.remove();
    },
    shutdown() {
      stopping = true;
      if (worker.getState() === 'RUNNING') worker.shutdown();
    },
  };
}

/** Loads the providers of the agents' models, so that no run waits for it. What fails here fails again, by name, where it is used. */
async function prepare(models: Models, agents: readonly Agent[]): Promise<void> {
  const names = new Set(agents.flatMap(({ model, fallbackModels }) => [model, ...fallbackModels]));
  const prepareOne = async (name: string) => (await models.find(name)).adapter.prepare?.();
  await Promise.allSettled([...names].map(prepareOne));
}

/** The tools of all agents together. Two agents may share a tool, but not a name for two tools. */
function registryOf(agents: readonly Agent[]): ToolRegistry {
  const names = agents.map(({ name }) => name);
  const double = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  const problems = [...double].map((name) => `two agents are named ${printed(name)}`);
  if (agents.length === 0) problems.push('there is no agent');
  try {
    const registry = createRegistry(agents.flatMap(({ tools }) => tools));
    if (problems.length === 0) return registry;
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    problems.push(...error.problems);
  }
  throw new DefinitionError('list of agents', problems);
}

/** Runs beside the start of the worker, which doesn't wait for it. */
async function rescue({ leasesDir, connection, namespace, dataConverter }: CreateWorkerOptions): Promise<void> {
  if (leasesDir === undefined) return;
  await takeOver({
    folder: leasesDir,
    owner: ownIdentity(),
    isAlive,
    client: new Client({ connection, namespace, dataConverter }),
    logger: Runtime.instance().logger,
  });
}

interface Parts {
  readonly registry: ToolRegistry;
  readonly models: Models;
  readonly leases: LeaseJournal | undefined;
}

function workerOptions(options: CreateWorkerOptions, { registry, models, leases }: Parts): WorkerOptions {
  const { connection, namespace, taskQueue, dataConverter, workflowBundle } = options;
  const workflows = fileURLToPath(new URL('./workflows/index.ts', import.meta.url));
  const identity = options.identity ?? `${process.pid}@${hostname()}`;
  return {
    connection,
    namespace,
    taskQueue,
    dataConverter,
    identity,
    ...(workflowBundle ? { workflowBundle } : { workflowsPath: workflows }),
    activities: createActivities({
      agents: options.agents,
      registry,
      models,
      cache: new ContextCache(options.contextCacheBytes ?? CONTEXT_CACHE_BYTES),
      hooks: options.hooks ?? {},
      leases,
      results: new FinishedResults(createCompleteAttempt({ connection, namespace, dataConverter, identity })),
      maxPayloadBytes: options.storage ? MAX_STORED_PAYLOAD_BYTES : MAX_PAYLOAD_BYTES,
      costOf: createCostOf(options.prices),
      hasSearchAttributes: createHasSearchAttributes(connection, namespace, Runtime.instance().logger),
    }),
    shutdownGraceTime: options.shutdownGraceMs ?? SHUTDOWN_GRACE_MS,
    stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT_MS,
    maxCachedWorkflows: MAX_CACHED_RUNS,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    defaultHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    workflowTaskPollerBehavior: POLLERS,
    activityTaskPollerBehavior: POLLERS,
  };
}
