import { setTimeout as sleep } from 'node:timers/promises';
import type { CaseEvent } from './case-format.ts';

/** Resolves when what an event waits for has happened; rejects when the signal aborts. */
export type Trigger = (event: CaseEvent, signal: AbortSignal) => Promise<unknown>;
/** Does what an event asks for. */
export type Deed = (event: CaseEvent) => Promise<void>;

/** The events of a case, each waiting for its moment. */
export interface ArmedEvents {
  /** Waits for what has begun, and tells what went wrong or never came. */
  settle(): Promise<readonly string[]>;
}

/** Arms all events of a case at once. */
export function armEvents(events: readonly CaseEvent[], trigger: Trigger, act: Deed): ArmedEvents {
  const end = new AbortController();
  const armed = events.map((event) => arm(event, trigger, act, end.signal));
  return {
    settle: async () => {
      end.abort();
      return (await Promise.all(armed)).flat();
    },
  };
}

async function arm(event: CaseEvent, trigger: Trigger, act: Deed, signal: AbortSignal): Promise<readonly string[]> {
  try {
    await trigger(event, signal);
  } catch (error) {
    const what = `${event.on} ${event.tool ?? ''} (${event.nth ?? 1})`;
    return signal.aborted ? [`the event never came: ${what}`] : [`${what}: ${textOf(error)}`];
  }
  try {
    await sleep(event.after_ms ?? 0);
    await act(event);
    return [];
  } catch (error) {
    return [`${event.do} failed: ${textOf(error)}`];
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
