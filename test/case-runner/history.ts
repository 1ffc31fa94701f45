import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type { ObservedHistory } from './observed.ts';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
type Events = NonNullable<History['events']>;

/** The whole history of each link of a run, the first link first. */
export async function readLinks(client: Client, workflowId: string): Promise<readonly History[]> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  const links: History[] = [];
  let runId = raw.workflowExecutionInfo?.firstRunId;
  while (runId) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    links.push(history);
    runId = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  return links;
}

/** What the cases ask of a history. `storage` is the folder of what is kept outside of it. */
export async function observeHistory(links: readonly History[], storage: string): Promise<ObservedHistory> {
  const events = links.flatMap((link) => link.events ?? []);
  const payloads = payloadsOf(events);
  return {
    events: links.map((link) => link.events?.length ?? 0),
    largestPayloadBytes: Math.max(0, ...payloads.map((data) => data.length)),
    taskFailures: countTaskFailures(events),
    text: `${textOf(events)}\n${await readFolder(storage)}`,
  };
}

/** What a replay of the histories with this bundle says against them; empty when they replay. */
export async function replayFaults(links: readonly History[], bundlePath: string, runId: string): Promise<string[]> {
  const faults: string[] = [];
  for (const link of links) {
    try {
      await Worker.runReplayHistory({ workflowBundle: { codePath: bundlePath } }, link, runId);
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
    }
  }
  return faults;
}

/** Failures that a shutting down or killed worker causes are told by time-outs, and count as well. */
function countTaskFailures(events: Events): number {
  return events.filter((event) => event.workflowTaskFailedEventAttributes || event.workflowTaskTimedOutEventAttributes)
    .length;
}

/** The data of all payloads, wherever they are in the events. */
function payloadsOf(value: unknown): Uint8Array[] {
  if (typeof value !== 'object' || value === null) return [];
  if (value instanceof Uint8Array) return [value];
  return Object.values(value).flatMap(payloadsOf);
}

/** Every name, text and payload of the events. Their own `toJSON` would hide the payloads in base64. */
function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return decode(value);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name}: ${textOf(inner)}`)
    .join('\n');
}

function decode(data: Uint8Array): string {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
}

async function readFolder(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(noFolder);
  const texts = files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

/** A run without big values has no folder. */
function noFolder(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
