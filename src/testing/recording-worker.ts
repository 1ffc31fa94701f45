import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { DefaultLogger, type NativeConnection, Runtime } from '@temporalio/worker';
import { agents } from '../agents/index.ts';
import { AgentClient } from '../client/agent-client.ts';
import type { Config } from '../config.ts';
import { createWorker, type PawlWorker } from '../create-worker.ts';
import { adaptersOf } from '../providers.ts';
import { connectClient, connectWorker, type Target } from '../temporal/connection.ts';
import { dataConverterFor } from '../temporal/data-converter.ts';
import { homeFiles } from '../temporal/home-files.ts';
import { workflowBundle } from '../temporal/workflow-bundle.ts';
import { recordingAdapters } from './recording-adapter.ts';
import { secretsIn } from './redact.ts';
import type { RecordedCall } from './sequence.ts';

/** When it stops its run is over: what still runs was cancelled with it, and is not worth waiting for. */
const SHUTDOWN_GRACE_MS = 500;

/** What a recording worker works with. */
export interface RecordingWorkerOptions {
  readonly config: Config;
  readonly target: Target;
  /** Gets each model call when it has ended. Must not throw: the call would fail, and be made again. */
  onCall(call: RecordedCall): void;
}

/**
 * Does its work beside a worker in this process, with the agents and providers of every other worker, on a task queue of
 * its own: no other worker takes its runs, and it takes none of theirs. The worker is stopped whatever happens. Rejects
 * where the worker breaks.
 */
export async function withRecordingWorker<T>(
  options: RecordingWorkerOptions,
  work: (client: AgentClient) => Promise<T>,
): Promise<T> {
  const { target } = options;
  installQuietRuntime();
  const [connection, native] = await Promise.all([connectClient(target), connectWorker(target)]);
  try {
    const taskQueue = `${options.config.taskQueue}-record-${randomUUID()}`;
    const dataConverter = dataConverterFor(options.config, target);
    const client = new Client({ connection, namespace: target.namespace, dataConverter });
    const worker = await recordingWorker(options, native, taskQueue);
    return await beside(worker, () => work(new AgentClient({ client, taskQueue })));
  } finally {
    await Promise.all([connection.close(), native.close()]);
  }
}

/** The process belongs to a command, which handles signals itself and prints the run. */
function installQuietRuntime(): void {
  const telemetryOptions = { logging: { forward: {}, filter: 'ERROR' } };
  Runtime.install({ logger: new DefaultLogger('WARN'), telemetryOptions, shutdownSignals: [] });
}

async function recordingWorker(
  { config, target, onCall }: RecordingWorkerOptions,
  connection: NativeConnection,
  taskQueue: string,
): Promise<PawlWorker> {
  const dataConverter = dataConverterFor(config, target);
  return createWorker({
    agents: agents(config),
    adapters: recordingAdapters(adaptersOf(config), { secrets: secretsIn(config), onCall }),
    connection,
    namespace: target.namespace,
    taskQueue,
    dataConverter,
    storage: dataConverter !== undefined,
    workflowBundle: await workflowBundle(homeFiles(config.home).bundles),
    shutdownGraceMs: SHUTDOWN_GRACE_MS,
  });
}

async function beside<T>(worker: PawlWorker, work: () => Promise<T>): Promise<T> {
  const running = worker.run();
  const ended = running.then(() => Promise.reject(new Error('the recording worker has stopped')));
  try {
    return await Promise.race([work(), ended]);
  } finally {
    ended.catch(() => undefined); // it stops now because it is told to
    worker.shutdown();
    await running;
  }
}
