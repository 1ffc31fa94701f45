// What tests read in the history of a run.

import type { Client } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';

/** One event of a history, as the server gives it. */
export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** All events of one link of a run: the newest, or the one named by Temporal's run id. */
export async function historyOf(temporal: Client, run: string, runId?: string): Promise<HistoryEvent[]> {
  const { events } = await temporal.workflow.getHandle(run, runId).fetchHistory();
  return events ?? [];
}

/** The workflow tasks of a link that failed or timed out, by their kinds. Throws where the history has no task at all. */
export async function lostTasksOf(temporal: Client, run: string): Promise<string[]> {
  const kinds = (await historyOf(temporal, run)).map(kindOf);
  if (!kinds.includes('workflowTaskCompleted')) throw new Error(`no workflow task of ${run} has been completed`);
  return kinds.filter((kind) => kind === 'workflowTaskFailed' || kind === 'workflowTaskTimedOut');
}

/** Bytes of an event on the wire. */
export function eventBytes(event: HistoryEvent): number {
  return proto.temporal.api.history.v1.HistoryEvent.encode(event).finish().length;
}

/** The name of an event's kind, such as `activityTaskScheduled`. */
export function kindOf(event: HistoryEvent): string {
  const attributes = Object.entries(event).find(([name, value]) => name.endsWith('EventAttributes') && value);
  return attributes?.[0].replace(/EventAttributes$/, '') ?? 'unknown';
}
