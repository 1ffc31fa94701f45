import type { Client } from '@temporalio/client';
import type { RunEvent } from '../protocol/events.ts';
import { type Cursor, compareCursors, parseCursor } from './cursor.ts';
import { decodeEvent } from './decode-event.ts';
import type { DecodedEvent, LinkEnding } from './decoded-event.ts';
import { InvalidRequest, RunNotFound } from './errors.ts';
import { createReducer } from './history-events.ts';
import { linkEvents, type ReadOptions } from './history-pages.ts';
import { findLinks, type Link, newestRunId } from './links.ts';

/** Where to begin, and how far to read. */
export interface EventsOptions extends ReadOptions {
  /** Cursor of the last event that the reader has. Links before it are not read. */
  readonly after?: string;
  /** Link to begin with where there is no cursor. Default: the first. */
  readonly from?: 'first' | 'newest';
}

/** A decoded event, and whether the reader has been told of it already: a reset copies the history before it. */
interface Told {
  readonly event: DecodedEvent;
  readonly isCopy: boolean;
}

/** What follows after a link: another one, its continuation after a reset, or nothing. */
type Next = { readonly type: 'link'; readonly runId: string } | { readonly type: 'reset' | 'gone' | 'end' };

/**
 * The events of a run, over all its links. Needs no worker and costs the run nothing. Links whose histories are gone are
 * named by `history_expired`; a run that is reset while it is followed goes on from there. Ends quietly on abort.
 * Throws `InvalidRequest` for a bad cursor, `RunNotFound`, `ServerUnavailable`.
 */
export async function* readEvents(client: Client, run: string, options: EventsOptions): AsyncGenerator<RunEvent> {
  const after = options.after === undefined ? undefined : cursorOf(options.after);
  try {
    yield* tellAfter(after, run, readHistory(client, run, firstLink(after, options), options));
  } catch (error) {
    if (!options.signal?.aborted) throw error;
  }
}

async function* tellAfter(after: Cursor | undefined, run: string, history: AsyncIterable<Told>) {
  let reducer = createReducer(run);
  let begun = after === undefined;
  for await (const { event, isCopy } of history) {
    if (event.type === 'link_started') reducer = createReducer(run);
    for (const told of reducer.push(event)) {
      begun ||= after === undefined || compareCursors(cursorOf(told.cursor), after) > 0;
      if (begun && !isCopy) yield told;
    }
  }
}

/** The newest link of a run, as far as it has come: what is needed to know where the run stands. */
export async function readNewestLink(client: Client, run: string, signal?: AbortSignal): Promise<DecodedEvent[]> {
  const { links } = await findLinks(client, run, Number.MAX_SAFE_INTEGER, signal);
  const events: DecodedEvent[] = [];
  for (const link of links) {
    for await (const event of decodedEvents(client, link, { until: 'now', signal })) events.push(event);
  }
  signal?.throwIfAborted();
  return events;
}

function firstLink(after: Cursor | undefined, { from = 'first' }: EventsOptions): number {
  return after?.[0] ?? (from === 'first' ? 1 : Number.MAX_SAFE_INTEGER);
}

function cursorOf(text: string): Cursor {
  const cursor = parseCursor(text);
  if (!cursor) throw new InvalidRequest(`after: ${JSON.stringify(text)} is no cursor; take one from an event`);
  return cursor;
}

async function* readHistory(client: Client, run: string, from: number, options: ReadOptions): AsyncGenerator<Told> {
  const seen = new Set<string>();
  let queue: Link[] = yield* linksLeft(client, run, from, options);
  let isCopy = false;
  for (let link = queue.shift(); link; link = queue.shift()) {
    seen.add(link.runId);
    const next: Next = yield* readLink(client, link, isCopy, options);
    isCopy = next.type === 'reset';
    if (next.type === 'end') return;
    if (next.type === 'gone') queue = yield* linksLeft(client, run, link.number + 1, options);
    if (next.type === 'reset') queue = await linksUnseen(client, run, seen, options);
    if (next.type === 'link') queue[0] ??= { ...link, number: link.number + 1, runId: next.runId };
  }
}

/** The links from number `from` on that can be read. Tells of those that are gone. */
async function* linksLeft(
  client: Client,
  run: string,
  from: number,
  options: ReadOptions,
): AsyncGenerator<Told, Link[]> {
  const { links, expired } = await findLinks(client, run, from, options.signal);
  const [first] = links;
  if (first && expired.length > 0) {
    const { number: link, startedAt: at } = first;
    yield { event: { type: 'links_expired', link, eventId: 0, at, links: expired }, isCopy: false };
  }
  return [...links];
}

/** The links with which a run goes on after a reset. */
async function linksUnseen(client: Client, run: string, seen: ReadonlySet<string>, options: ReadOptions) {
  const { links } = await findLinks(client, run, 1, options.signal);
  return links.filter(({ runId }) => !seen.has(runId));
}

async function* readLink(
  client: Client,
  link: Link,
  isReset: boolean,
  options: ReadOptions,
): AsyncGenerator<Told, Next> {
  let isCopy = isReset;
  try {
    for await (const event of decodedEvents(client, link, options)) {
      const ending = event.type === 'link_closed' ? event.ending : undefined;
      const next = ending && (await nextAfter(client, link, ending, options));
      if (next?.type === 'reset') return next;
      yield { event, isCopy };
      if (next) return next;
      if (event.type === 'link_reset' && event.runId === link.runId) isCopy = false;
    }
  } catch (error) {
    if (error instanceof RunNotFound && (await isNewest(client, link, options)) === false) return { type: 'gone' };
    throw error;
  }
  return { type: 'end' };
}

async function nextAfter(client: Client, link: Link, ending: LinkEnding, options: ReadOptions): Promise<Next> {
  if (ending.status === 'continued') return { type: 'link', runId: ending.runId };
  // A reset terminates the run that it copies.
  if (ending.status === 'terminated' && !(await isNewest(client, link, options))) return { type: 'reset' };
  return { type: 'end' };
}

async function isNewest(client: Client, { workflowId, runId }: Link, { signal }: ReadOptions): Promise<boolean> {
  return (await newestRunId(client, workflowId, signal)) === runId;
}

async function* decodedEvents(client: Client, link: Link, options: ReadOptions): AsyncGenerator<DecodedEvent> {
  const converters = client.options.loadedDataConverter;
  for await (const event of linkEvents(client, link, options)) yield decodeEvent(event, link.number, converters);
}
