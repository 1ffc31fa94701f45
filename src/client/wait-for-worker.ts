import type { Client } from '@temporalio/client';
import { decodeEvent } from './decode-event.ts';
import { linkEvents } from './history-pages.ts';
import { newestRunId } from './links.ts';

/** A worker that is up takes a new run within milliseconds. */
const WORKER_PATIENCE_MS = 3_000;

/** How long to wait for a worker. */
export interface WaitOptions {
  /** Default 3 s. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Waits until a worker has begun a workflow task of the run's newest link; false where none has in time. The run's own
 * history says so: the queue's list of pollers remembers dead workers for minutes. Throws `RunNotFound`, `ServerUnavailable`.
 */
export async function waitForWorker(
  client: Client,
  run: string,
  { timeoutMs = WORKER_PATIENCE_MS, signal }: WaitOptions = {},
): Promise<boolean> {
  const runId = await newestRunId(client, run, signal);
  const patience = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, patience]) : patience;
  const converters = client.options.loadedDataConverter;
  for await (const event of linkEvents(client, { workflowId: run, runId }, { until: 'close', signal: either })) {
    const { type } = decodeEvent(event, 1, converters);
    if (type === 'task_started' || type === 'link_closed') return true;
  }
  signal?.throwIfAborted();
  return false;
}
