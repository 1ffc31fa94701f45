import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cli } from './cli.ts';

/** Starts a worker as a child of this process, with this terminal. It reads its configuration itself. */
export function spawnWorker(cli: Pick<Cli, 'root'>): ChildProcess {
  const tsx = fileURLToPath(import.meta.resolve('tsx'));
  return spawn(process.execPath, ['--import', tsx, join(cli.root, 'worker.ts')], {
    stdio: 'inherit',
    // Its own group: a Ctrl-C reaches it once, from us, and not a second time from the terminal.
    detached: true,
  });
}

/** The exit code of a child when it has ended; null where a signal ended it. */
export function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code));
  });
}

/** Asks a worker to finish, and waits for it: what it is doing is handed back within its own grace. */
export async function stopped(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await ended(child);
}
