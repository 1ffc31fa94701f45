import type { RunEvent } from '../protocol/events.ts';
import { formatCursor, indexer } from './cursor.ts';
import type { DecodedEvent } from './decoded-event.ts';

type Without<Event, Keys extends PropertyKey> = Event extends unknown ? Omit<Event, Keys> : never;

/** An event before it has its place. */
export type Draft = Without<RunEvent, 'cursor' | 'at' | 'run'>;

/** Tells one event. */
export type Emit = (draft: Draft) => void;

/**
 * Gives drafts their places. `run_started` comes first: what a history tells before the agent is known (a message that was
 * sent at once) is held until then, and gets its place behind it.
 */
export interface Emitter {
  /** The events that `reduce` makes of one history event. */
  collect(source: DecodedEvent, reduce: (emit: Emit) => void): RunEvent[];
  /** True once `run_started` is out, or an earlier link has told it. */
  started: boolean;
}

/** An emitter for one link of a run. */
export function createEmitter(run: string): Emitter {
  const held: { readonly draft: Draft; readonly at: string }[] = [];
  const emitter: Emitter = {
    started: false,
    collect(source, reduce) {
      const events: RunEvent[] = [];
      const indexOf = indexer();
      const place = (draft: Draft, at: string): void => {
        const cursor = formatCursor([source.link, source.eventId, indexOf(draft.type)]);
        events.push({ cursor, at, run, ...draft } as RunEvent);
      };
      reduce((draft) => {
        if (draft.type === 'run_started') emitter.started = true;
        else if (!emitter.started && draft.type !== 'history_expired') {
          held.push({ draft, at: source.at });
          return;
        }
        place(draft, source.at);
        for (const early of held.splice(0)) place(early.draft, early.at);
      });
      return events;
    },
  };
  return emitter;
}
