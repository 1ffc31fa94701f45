import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { carriedOf } from './carried.ts';
import type { Execution } from './history-pages.ts';
import { openPayloads, valuesOf } from './payloads.ts';
import { callRaw, callServer, clearError, isNotFound } from './server-call.ts';

/** A link of a run that can be read. */
export interface Link extends Execution {
  /** 1 for the first link of the run. */
  readonly number: number;
  /** ISO 8601. */
  readonly startedAt: string;
}

/** The links of a run, from the first one asked for to the newest. */
export interface Links {
  readonly links: readonly Link[];
  /** Numbers of the links before, of those asked for, whose histories are gone. */
  readonly expired: readonly number[];
}

/**
 * Walks back from a run's newest link to link number `from`, without reading more than the first event of each.
 * Throws `RunNotFound` and `ServerUnavailable`.
 */
export async function findLinks(client: Client, run: string, from: number, signal?: AbortSignal): Promise<Links> {
  const links: Link[] = [];
  let runId: string | undefined = await newestRunId(client, run, signal);
  while (runId) {
    const found: { link: Link; previousRunId: string } | undefined = await lookUp(client, run, runId, signal);
    if (!found) break;
    links.unshift(found.link);
    runId = found.link.number > from ? found.previousRunId : undefined;
  }
  const first = links[0];
  if (!first) throw clearError(new Error(`the newest link of ${run} is gone`), run);
  const gone = Math.max(0, first.number - from);
  return { links, expired: Array.from({ length: gone }, (_, index) => from + index) };
}

/** The Temporal run id of a run's newest link. */
export async function newestRunId(client: Client, run: string, signal?: AbortSignal): Promise<string> {
  const { runId } = await callServer(client, run, () => client.workflow.getHandle(run).describe(), { signal });
  return runId;
}

/** What the first event of a link says; undefined where its history is gone. */
async function lookUp(client: Client, run: string, runId: string, signal: AbortSignal | undefined) {
  const { workflowService, options } = client.workflow;
  const { namespace } = options;
  const execution = { workflowId: run, runId };
  const request = { namespace, execution, maximumPageSize: 1, skipArchival: true };
  try {
    const page = await callRaw(client, () => workflowService.getWorkflowExecutionHistory(request), { signal });
    const event = page.history?.events?.[0];
    const started = event?.workflowExecutionStartedEventAttributes;
    if (!event || !started) return undefined;
    // The segments of the context may be large, and may lie in external storage: they are not needed here.
    if (started.input?.payloads) started.input.payloads = started.input.payloads.slice(0, 2);
    await openPayloads(page, options.loadedDataConverter);
    const number = carriedOf(valuesOf(started.input, options.loadedDataConverter))?.link ?? 1;
    const link = { ...execution, number, startedAt: new Date(tsToMs(event.eventTime)).toISOString() };
    return { link, previousRunId: started.continuedExecutionRunId ?? '' };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw clearError(error, run, signal);
  }
}
