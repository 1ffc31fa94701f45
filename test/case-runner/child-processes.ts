import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const POLL_MS = 100;

/** How many of these processes are alive, as soon as none is or the time is up. */
export async function aliveAfter(pids: readonly number[], ms: number): Promise<number> {
  const deadline = performance.now() + ms;
  for (;;) {
    const alive = (await Promise.all(pids.map(isAlive))).filter(Boolean).length;
    if (alive === 0 || performance.now() >= deadline) return alive;
    await sleep(POLL_MS);
  }
}

/** Ends what a case has left behind. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

/** A process that has ended and is not yet reaped counts as dead. */
async function isAlive(pid: number): Promise<boolean> {
  try {
    const { stdout } = await run('ps', ['-o', 'stat=', '-p', String(pid)]);
    return !stdout.trim().startsWith('Z');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 1) return false; // no such process
    throw error;
  }
}
