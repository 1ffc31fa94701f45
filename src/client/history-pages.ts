import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import { type HistoryEvent, type HistoryPage, openPayloads } from './payloads.ts';
import { callRaw, clearError, isTooLargeAnswer, isTransient } from './server-call.ts';

/** The server answers a long poll after 20 s, with or without news; what takes longer is a dead connection. */
const POLL_DEADLINE_MS = 30_000;
/** First pause after a failed poll; it doubles up to the longest. */
const FIRST_PAUSE_MS = 100;
/** Longest pause: a server that is back is noticed soon. */
const LONGEST_PAUSE_MS = 2_000;
/** A reader outlives the restart of a server, and does not hide an outage for longer. */
const OUTAGE_MS = 120_000;

/** Events a page. A client's connection refuses answers over 4 MiB unless it was told otherwise, so the pages are small. */
const PAGE_EVENTS = 64;

/** One link of a run: a workflow execution. */
export interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

/** How a history is read. `now`: what there is. `close`: on until the link is closed. */
export interface ReadOptions {
  readonly until: 'now' | 'close';
  readonly signal?: AbortSignal;
}

interface PageOptions extends ReadOptions {
  readonly filter?: temporal.api.enums.v1.HistoryEventFilterType;
}

/** Only the event that closes the link. */
const CLOSE_EVENT = proto.temporal.api.enums.v1.HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT;

/**
 * The events of one link, in order, each once, with opened payloads; with `until: 'close'` as they happen.
 * A restart of the server is waited out. Ends quietly on abort. Throws `RunNotFound` where the history is gone, and
 * `ServerUnavailable` after two minutes of outage.
 */
export async function* linkEvents(
  client: Client,
  execution: Execution,
  options: ReadOptions,
): AsyncGenerator<HistoryEvent> {
  let last = 0;
  for await (const page of pages(client, execution, options)) {
    for (const event of page.history?.events ?? []) {
      const eventId = Number(event.eventId);
      if (eventId <= last) continue; // after an outage the history is read from its start again
      last = eventId;
      yield event;
    }
  }
}

/** Where the next page begins, and how long it may be. */
interface Place {
  readonly token: Uint8Array | undefined;
  readonly pageEvents: number;
}

/** The event that closes a link, once it is there; undefined on abort. The server keeps quiet about all the others. */
export async function closingEvent(
  client: Client,
  execution: Execution,
  signal: AbortSignal | undefined,
): Promise<HistoryEvent | undefined> {
  for await (const page of pages(client, execution, { until: 'close', signal, filter: CLOSE_EVENT })) {
    const [event] = page.history?.events ?? [];
    if (event) return event;
  }
  return undefined;
}

async function* pages(client: Client, execution: Execution, options: PageOptions): AsyncGenerator<HistoryPage> {
  let place: Place = { token: undefined, pageEvents: PAGE_EVENTS };
  const outage = new Outage();
  while (!options.signal?.aborted) {
    try {
      const page = await poll(client, execution, options, place);
      outage.over();
      yield page;
      if (!page.nextPageToken?.length) return;
      place = { ...place, token: page.nextPageToken };
    } catch (error) {
      if (options.signal?.aborted) return;
      if (isTooLargeAnswer(error) && place.pageEvents > 1) {
        place = { ...place, pageEvents: Math.ceil(place.pageEvents / 8) };
        continue;
      }
      if (!isTransient(error) || outage.isTooLong()) throw clearError(error, execution.workflowId);
      place = { ...place, token: undefined }; // a token is worth nothing to another server process
      await outage.pause(options.signal);
    }
  }
}

async function poll(
  client: Client,
  execution: Execution,
  { until, signal, filter }: PageOptions,
  { token: nextPageToken, pageEvents }: Place,
): Promise<HistoryPage> {
  const { workflowService, options } = client.workflow;
  const request = {
    namespace: options.namespace,
    execution,
    nextPageToken,
    maximumPageSize: pageEvents,
    waitNewEvent: until === 'close',
    historyEventFilterType: filter,
    skipArchival: true,
  };
  const call = () => workflowService.getWorkflowExecutionHistory(request);
  const page = await callRaw(client, call, { deadlineMs: POLL_DEADLINE_MS, signal });
  await openPayloads(page, options.loadedDataConverter);
  return page;
}

/** Counts how long the server has been away, and waits longer each time. */
class Outage {
  private sinceMs: number | undefined;
  private pauseMs = FIRST_PAUSE_MS;

  over(): void {
    this.sinceMs = undefined;
    this.pauseMs = FIRST_PAUSE_MS;
  }

  isTooLong(): boolean {
    this.sinceMs ??= Date.now();
    return Date.now() - this.sinceMs > OUTAGE_MS;
  }

  async pause(signal: AbortSignal | undefined): Promise<void> {
    const pauseMs = this.pauseMs;
    this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
    await sleep(pauseMs, undefined, { signal }).catch((error: unknown) => {
      if (!signal?.aborted) throw error;
    });
  }
}
