// The lease journal's file: one a process, named by whose it is, one JSON line for each start and end of an activity.

import { hostname } from 'node:os';
import { basename } from 'node:path';
import type { Effect } from '../protocol/snapshot.ts';

/** A process, as its lease files are named: its id alone is given to another process later. */
export interface LeaseOwner {
  readonly pid: number;
  /** When it started, in the system's own words. */
  readonly started: string;
}

/** An attempt that a worker has taken: enough to fail it in the worker's place. */
export interface Lease {
  /** Task token, base64. It names this attempt only; the server refuses one of an attempt that is over. */
  readonly token: string;
  readonly workflowId: string;
  readonly runId: string;
  readonly effect: Effect;
}

/** One line of a lease file. */
export type LeaseLine = { readonly open: Lease } | { readonly close: string };

const SUFFIX = '.leases';

/** A name for a process's file. `unique` tells apart the files of one process. */
export function leaseFileName({ pid, started }: LeaseOwner, unique: string): string {
  return `${[hostname(), pid, started, unique].map((part) => encodeURIComponent(part)).join('+')}${SUFFIX}`;
}

/** Whether the file belongs to a process of this machine that is gone. Of another machine's processes nothing is known. */
export function isOrphaned(path: string, isAlive: (owner: LeaseOwner) => boolean): boolean {
  const name = basename(path);
  if (!name.endsWith(SUFFIX)) return false;
  const [host, pid, started] = name.slice(0, -SUFFIX.length).split('+').map(decodeURIComponent);
  if (host !== hostname() || !pid || !started) return false;
  return !isAlive({ pid: Number(pid), started });
}

/** The leases of a file that were not closed. A last line that a crash cut short is left out. */
export function openLeases(text: string): Lease[] {
  const open = new Map<string, Lease>();
  for (const line of text.split('\n').map(parseLine)) {
    if (!line) continue;
    if ('open' in line) open.set(line.open.token, line.open);
    else open.delete(line.close);
  }
  return [...open.values()];
}

function parseLine(line: string): LeaseLine | undefined {
  if (!line.endsWith('}')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    // A line that was cut inside ends with a brace only by chance; it is as lost as any other torn line.
    return undefined;
  }
}
