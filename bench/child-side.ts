// What the processes of a bench have in common, seen from inside. Each ends with its parent.

import { once } from 'node:events';
import { DefaultLogger, Runtime } from '@temporalio/worker';

process.once('disconnect', () => process.exit());

/** Tells the parent something. */
export function tellParent(message: object): void {
  process.send?.(message);
}

/** The next message of the parent. */
export async function fromParent<T>(): Promise<T> {
  const [message] = await once(process, 'message');
  return message as T;
}

/** As `worker.ts` does it by default: what a worker writes to its log is a part of its cost. */
export function installWorkerRuntime(): void {
  const logging = { forward: {}, filter: { core: 'INFO', other: 'WARN' } } as const;
  Runtime.install({ logger: new DefaultLogger('INFO'), telemetryOptions: { logging }, shutdownSignals: [] });
}

/** Runs a worker until the parent says anything, then ends the process. */
export async function serve(worker: { run(): Promise<void>; shutdown(): void }): Promise<never> {
  const stopped = worker.run();
  tellParent({ type: 'ready' });
  await Promise.race([stopped, fromParent()]);
  worker.shutdown();
  await stopped;
  process.exit();
}
