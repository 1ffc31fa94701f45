import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.ts';

/** How often a waiting process looks whether the lock is free. */
const LOCK_POLL_MS = 20;
/** The longest that a holder works: a first start downloads the CLI over a slow line. */
const LOCK_TIMEOUT_MS = 600_000;

/**
 * Runs `work` while no other process holds the lock of that path. A holder that died loses it.
 * Throws where a living holder keeps it for ten minutes.
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await acquire(path);
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

async function acquire(path: string): Promise<void> {
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  while (!tryAcquire(path)) {
    const holder = readHolder(path);
    if (holder !== undefined && !isAlive(holder)) takeAway(path, holder);
    else if (Date.now() > deadline) throw new Error(`process ${holder?.pid ?? '?'} has held ${path} for too long`);
    else await delay(LOCK_POLL_MS);
  }
}

/** A hard link appears with its content, so that nobody ever sees a lock without a holder. */
function tryAcquire(path: string): boolean {
  const own = `${path}.${randomUUID()}`;
  try {
    writeFileSync(own, JSON.stringify(ownIdentity()), { mode: 0o600 });
    linkSync(own, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

function readHolder(path: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new Error(`${path} is no lock file; remove it`, { cause: error });
  }
}

/** Two processes may see the same dead holder: the slower one gives back what it took from the faster. */
function takeAway(path: string, dead: ProcessIdentity): void {
  const taken = `${path}.${process.pid}.taken`;
  try {
    renameSync(path, taken);
    const holder = readHolder(taken);
    if (holder?.pid !== dead.pid || holder.started !== dead.started) linkSync(taken, path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  } finally {
    rmSync(taken, { force: true });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
