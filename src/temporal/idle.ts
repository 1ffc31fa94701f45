import type { ConnectionLike } from '@temporalio/client';
import type { Config } from '../config.ts';
import { stopServer } from './background-server.ts';
import type { Target } from './connection.ts';
import { homeFiles } from './home-files.ts';

/** Background processes end after this time without an open run and without a command. */
const IDLE_MS = 30 * 60_000;
/** How often a background worker looks; one count costs the server a millisecond. */
const LOOK_EVERY_MS = 60_000;
const COUNT_TIMEOUT_MS = 10_000;

/** What the idle watch looks at. */
export interface IdleOptions {
  readonly config: Pick<Config, 'home' | 'taskQueue'>;
  readonly target: Target;
  readonly connection: ConnectionLike;
  /** Length of the time without use after which nothing is needed any more. */
  readonly idleMs?: number;
}

/** Whether no run is open, none was closed within the idle time, and no command was given within it. */
export async function isIdle({ config, target, connection, idleMs = IDLE_MS }: IdleOptions): Promise<boolean> {
  const since = Date.now() - idleMs;
  const lastUse = homeFiles(config.home).lastUse.read();
  if (lastUse !== undefined && lastUse.atMs > since) return false;
  const recent = `(ExecutionStatus = 'Running' OR CloseTime > '${new Date(since).toISOString()}')`;
  // Our own server is for Pawl alone; on another one other people's workflows must not keep our worker.
  const query = target.source === 'embedded' ? recent : `TaskQueue = '${config.taskQueue}' AND ${recent}`;
  const request = { namespace: target.namespace, query };
  const { count } = await connection.withDeadline(Date.now() + COUNT_TIMEOUT_MS, () =>
    connection.workflowService.countWorkflowExecutions(request),
  );
  return Number(count) === 0;
}

/**
 * Looks once a minute and calls `onIdle` once. A look that fails counts as use and is given to `onError`.
 * The function that it returns ends the watch.
 */
export function watchIdle(options: IdleOptions, onIdle: () => void, onError: (error: unknown) => void): () => void {
  const timer = setInterval(() => {
    isIdle(options).then((idle) => {
      if (!idle) return;
      clearInterval(timer);
      onIdle();
    }, onError);
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Stops the embedded server where it is still idle; one that a command has just asked for goes on. */
export async function stopIdleServer(options: IdleOptions): Promise<void> {
  if (options.target.source === 'embedded') await stopServer(options.config, () => isIdle(options));
}
