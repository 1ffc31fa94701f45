import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A process for as long as it lives: its id alone is given to another one later. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the system's own words: only good for comparing. */
  readonly started: string;
}

/** The process is looked at this often while it ends; it is no child of ours, so nothing tells us. */
const EXIT_POLL_MS = 20;

/** The identity of a running process; undefined where there is none, or where it has ended and nobody collected it. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
  const own = identityOf(process.pid);
  if (own === undefined) throw new Error('the system does not tell when this process was started');
  return own;
}

/** Whether exactly this process, and no later one of the same id, is running. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identityOf(identity.pid)?.started === identity.started;
}

/** Ends a process: SIGTERM, and SIGKILL after `graceMs`. Returns when it is gone, at once where it was. */
export async function stopProcess(identity: ProcessIdentity, graceMs: number): Promise<void> {
  signal(identity, 'SIGTERM');
  if (await isGoneWithin(identity, graceMs)) return;
  signal(identity, 'SIGKILL');
  if (await isGoneWithin(identity, graceMs)) return;
  throw new Error(`process ${identity.pid} does not end`);
}

function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(identity.pid, name);
  } catch (error) {
    if (isAlive(identity)) throw error; // it may end between the look and the signal
  }
}

async function isGoneWithin(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isAlive(identity)) {
    if (Date.now() > deadline) return false;
    await delay(EXIT_POLL_MS);
  }
  return true;
}

/** Clock ticks since the machine's start, with the id of that start: after a reboot no old identity fits. */
function startedOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before may hold blanks
    const [state, ticks] = [fields[0], fields[19]];
    if (state === 'Z' || state === 'X' || ticks === undefined) return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${ticks}`;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH');
}

function startedByPs(pid: number): string | undefined {
  try {
    const args = ['-o', 'stat=,lstart=', '-p', String(pid)];
    const line = execFileSync('ps', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
  } catch (error) {
    const ended = error instanceof Error && 'status' in error && error.status === 1; // ps found no such process
    if (ended) return undefined;
    throw error;
  }
}
