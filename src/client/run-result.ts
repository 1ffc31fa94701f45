import type { Client } from '@temporalio/client';
import type { RunResult } from '../protocol/run.ts';
import { RunNotFound } from './errors.ts';
import { readEvents } from './history-reader.ts';

/**
 * Waits for the end of a run and gives its result, whatever ended it. Needs no worker.
 * Throws `RunNotFound`, `ServerUnavailable`, or the signal's reason.
 */
export async function resultOfRun(client: Client, run: string, signal?: AbortSignal): Promise<RunResult> {
  for await (const event of readEvents(client, run, { until: 'close', from: 'newest', signal })) {
    if (event.type === 'run_finished') return event.result;
  }
  signal?.throwIfAborted();
  throw new RunNotFound(run);
}
