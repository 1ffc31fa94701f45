import type { Client } from '@temporalio/client';
import type { RunResult } from '../protocol/run.ts';
import { decodeClose } from './decode-close.ts';
import { RunNotFound } from './errors.ts';
import { closingEvent } from './history-pages.ts';
import { readEvents } from './history-reader.ts';
import { newestRunId } from './links.ts';
import { carriedResult, type FinalEnding } from './run-ending.ts';

/**
 * Waits for the end of a run and gives its result, whatever ended it. Needs no worker, and costs the server one parked
 * call. Throws `RunNotFound`, `ServerUnavailable`, or the signal's reason.
 */
export async function resultOfRun(client: Client, run: string, signal?: AbortSignal): Promise<RunResult> {
  const ending = await endOfRun(client, run, signal);
  return carriedResult(ending) ?? (await resultByHistory(client, run, signal));
}

/** How the run ended, over all its links. */
async function endOfRun(client: Client, run: string, signal: AbortSignal | undefined): Promise<FinalEnding> {
  let runId = await newestRunId(client, run, signal);
  for (;;) {
    const event = await closingEvent(client, { workflowId: run, runId }, signal);
    signal?.throwIfAborted();
    const ending = event && decodeClose(event, client.options.loadedDataConverter);
    if (!ending) throw new RunNotFound(run);
    if (ending.status === 'continued') runId = ending.runId;
    else {
      // A reset terminates the link that it copies, and the run goes on in another one.
      const newest = ending.status === 'terminated' ? await newestRunId(client, run, signal) : runId;
      if (newest === runId) return ending;
      runId = newest;
    }
  }
}

/** An ending that carries no result: what the run's own history says of it. */
async function resultByHistory(client: Client, run: string, signal: AbortSignal | undefined): Promise<RunResult> {
  for await (const event of readEvents(client, run, { until: 'now', from: 'newest', signal })) {
    if (event.type === 'run_finished') return event.result;
  }
  signal?.throwIfAborted();
  throw new RunNotFound(run);
}
