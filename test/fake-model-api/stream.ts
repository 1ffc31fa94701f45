import { once } from 'node:events';
import type { RawSseAnswer, SseAnswer, SseEvent, StreamEnd } from './answers.ts';
import { type Exchange, pause, resetConnection } from './exchange.ts';
import { frameOf } from './sse.ts';

/** One write of a stream. */
interface Piece {
  readonly bytes: Buffer;
  /** Number of the event that is whole with this write. */
  readonly event?: number;
}

/** A stream as it will be written. */
export interface StreamPlan {
  readonly events: readonly SseEvent[];
  readonly pieces: readonly Piece[];
  readonly end: StreamEnd;
  /** It has its `message_stop` and ends properly. */
  readonly isWhole: boolean;
  readonly delayBetweenEventsMs?: number;
  readonly pingsEveryMs?: number;
}

const PING: SseEvent = { event: 'ping', data: { type: 'ping' } };

/** The plan for a stream that is given event by event. */
export function planOf(answer: SseAnswer): StreamPlan {
  const { sse_events: events, end = 'close', cut_every_bytes, line_end, insert = [] } = answer;
  const pieces = events.flatMap((event, at): Piece[] => [
    { bytes: Buffer.from(frameOf(event, line_end)), event: at },
    ...insert.filter(({ after }) => after === at).map(({ raw }) => ({ bytes: Buffer.from(raw) })),
  ]);
  return {
    events,
    pieces: cut_every_bytes === undefined ? pieces : recut(pieces, cut_every_bytes),
    end,
    isWhole: end === 'close' && events.some(({ event }) => event === 'message_stop'),
    delayBetweenEventsMs: answer.delay_between_events_ms,
    pingsEveryMs: answer.pings_every_ms,
  };
}

/** The plan for a stream that is given as bytes. */
export function rawPlan(answer: RawSseAnswer): StreamPlan {
  const { sse_raw_base64_chunks_of: chunks, end = 'close', cut_every_bytes } = answer;
  const pieces = chunks.map((chunk): Piece => ({ bytes: Buffer.from(chunk, 'base64') }));
  const events = eventsIn(Buffer.concat(pieces.map((piece) => piece.bytes)).toString());
  return {
    events,
    pieces: cut_every_bytes === undefined ? pieces : recut(pieces, cut_every_bytes),
    end,
    isWhole: end === 'close' && events.some(({ event }) => event === 'message_stop'),
    delayBetweenEventsMs: answer.delay_between_events_ms,
    pingsEveryMs: answer.pings_every_ms,
  };
}

function recut(pieces: readonly Piece[], size: number): Piece[] {
  const all = Buffer.concat(pieces.map((piece) => piece.bytes));
  const cuts: Piece[] = [];
  for (let at = 0; at < all.length; at += size) cuts.push({ bytes: all.subarray(at, at + size) });
  return cuts;
}

function eventsIn(text: string): readonly SseEvent[] {
  const data = text.split(/\r\n|\r|\n/).filter((line) => line.startsWith('data:'));
  return data.flatMap((line) => {
    const parsed: unknown = JSON.parse(line.slice('data:'.length));
    return [{ event: String((parsed as { type?: unknown }).type), data: parsed }];
  });
}

/** Writes the pieces, hooks and delays between them, until the client leaves. Returns the events that left. */
export async function writeStream(plan: StreamPlan, exchange: Exchange): Promise<readonly SseEvent[]> {
  const { events, pieces, delayBetweenEventsMs } = plan;
  const first = events.findIndex(isDelta);
  const last = events.findLastIndex(isDelta);
  let written = 0;
  for (const [at, { bytes, event }] of pieces.entries()) {
    if (at > 0) await pause(delayBetweenEventsMs, exchange.gone);
    if (exchange.gone.aborted) break;
    await write(bytes, exchange);
    if (event === undefined) continue;
    written = event + 1;
    if (event === first) await exchange.hooks.afterFirstDelta?.(exchange.request);
    if (event === last) await exchange.hooks.afterLastDelta?.(exchange.request);
  }
  return events.slice(0, written);
}

function isDelta({ event }: SseEvent): boolean {
  return event === 'content_block_delta';
}

/** Ends a stream in its way. A hanging one ends with its client. */
export async function endStream({ end, pingsEveryMs }: StreamPlan, exchange: Exchange): Promise<void> {
  const { response, gone } = exchange;
  if (end === 'close') response.end();
  if (end === 'reset') resetConnection(exchange);
  if (end !== 'hang' || gone.aborted) return;
  if (pingsEveryMs === undefined) {
    await once(gone, 'abort');
    return;
  }
  while (!gone.aborted) {
    await pause(pingsEveryMs, gone);
    if (!gone.aborted) await write(Buffer.from(frameOf(PING)), exchange);
  }
}

/** What a write to a client that has just left says, before its response counts as destroyed. */
const LEFT: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE']);

async function write(bytes: Buffer, { response, gone }: Exchange): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    // A write to a client that has left may fail or never end: that is the end of this answer, no fault of the server.
    const left = (): void => resolve();
    gone.addEventListener('abort', left, { once: true });
    response.write(bytes, (error) => {
      gone.removeEventListener('abort', left);
      if (error && !response.destroyed && !LEFT.has((error as NodeJS.ErrnoException).code)) reject(error);
      else resolve();
    });
  });
}
