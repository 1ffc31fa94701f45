import type { Client } from '@temporalio/client';
import { eventBytes, type HistoryEvent } from '../test/support/histories.ts';

/** What one link of a run left in history. */
export interface LinkSize {
  readonly events: number;
  /** On the wire. */
  readonly bytes: number;
  readonly workflowTasks: number;
}

/** The sizes of all links of a run that has ended, the first link first. */
export async function linksOf(client: Client, run: string): Promise<LinkSize[]> {
  const links: LinkSize[] = [];
  for (let runId = await firstRunId(client, run); runId; ) {
    const events: HistoryEvent[] = (await client.workflow.getHandle(run, runId).fetchHistory()).events ?? [];
    links.push(sizeOf(events));
    runId = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? '';
  }
  return links;
}

async function firstRunId(client: Client, run: string): Promise<string> {
  const { raw } = await client.workflow.getHandle(run).describe();
  return raw.workflowExecutionInfo?.firstRunId ?? '';
}

function sizeOf(events: readonly HistoryEvent[]): LinkSize {
  return {
    events: events.length,
    bytes: events.reduce((sum, event) => sum + eventBytes(event), 0),
    workflowTasks: events.filter((event) => event.workflowTaskStartedEventAttributes).length,
  };
}
