import type { RunEventType } from '../protocol/events.ts';

/** A place in a run's events: link, history event, and index within that. */
export type Cursor = readonly [link: number, eventId: number, index: number];

/**
 * Each event type has its own slot within a history event, so that a release that adds a type moves no cursor. A new type
 * must get a free number that stands where it is emitted, between its neighbours; no number is ever given anew.
 */
const SLOTS: Readonly<Record<RunEventType, number>> = {
  history_expired: 10,
  run_started: 20,
  user_message: 30,
  turn_started: 40,
  agent_changed: 45,
  iteration_started: 50,
  model_fallback: 55,
  compacted: 56,
  compaction_failed: 57,
  model_result: 60,
  assistant_text: 70,
  tool_call: 80,
  tool_result: 90,
  limit_reached: 100,
  usage: 110,
  final_text: 120,
  turn_finished: 130,
  run_continued: 140,
  run_finished: 150,
};

/** Larger than every slot: where a slot comes again, or an earlier one, the next thousand begins. */
const SLOTS_PER_ROW = 1_000;

/** Gives the events of one history event their indexes, which grow in the order in which they are asked for. */
export function indexer(): (type: RunEventType) => number {
  let last = 0;
  return (type) => {
    const row = Math.floor(last / SLOTS_PER_ROW) * SLOTS_PER_ROW;
    const index = row + SLOTS[type];
    last = index > last ? index : index + SLOTS_PER_ROW;
    return last;
  };
}

/** The text of a cursor, as events carry it. */
export function formatCursor([link, eventId, index]: Cursor): string {
  return `${link}.${eventId}.${index}`;
}

/** The parts of a cursor's text; undefined where it is none. */
export function parseCursor(text: string): Cursor | undefined {
  const match = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/.exec(text);
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

/** Negative where `a` stands before `b`, zero where they are the same place. */
export function compareCursors(a: Cursor, b: Cursor): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
