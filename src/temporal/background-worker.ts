import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { Target } from './connection.ts';
import { type HomeFiles, homeFiles, type WorkerRecord } from './home-files.ts';
import { withLock } from './lock.ts';
import { writtenSince } from './log-file.ts';
import { identityOf, isAlive, ownIdentity, type ProcessIdentity, stopProcess } from './process-identity.ts';
import { sourcesHash } from './sources-hash.ts';

/** A worker hands back what runs on it within its own grace; this is longer. */
const WORKER_GRACE_MS = 60_000;
/** A start takes a second, and some more where the workflow bundle has to be built. */
const START_TIMEOUT_MS = 120_000;
/** How often a starting worker's sign is looked for. */
const START_POLL_MS = 20;

/** Thrown where the worker ends at its start, or does not get ready; its message holds what the worker said. */
export class WorkerNotStarted extends Error {
  override readonly name = 'WorkerNotStarted';

  constructor(reason: string) {
    super(`The worker did not start: ${reason}`);
  }
}

/**
 * One worker in the background, started from the sources as they are now. One that was started from other sources or
 * with other settings is drained first, and `announce` gets a line about it. Throws {@link WorkerNotStarted}.
 */
export async function ensureWorker(config: Config, target: Target, announce: (line: string) => void): Promise<void> {
  const files = homeFiles(config.home);
  const wanted = { sources: sourcesHash(config.root), settings: settingsHash(config, target) };
  if (isUpToDate(files, wanted)) return;
  await withLock(files.workerLock, async () => {
    const record = files.worker.read();
    if (record !== undefined && isSame(record, wanted) && (await becomesReady(files, record.process))) return;
    if (record !== undefined && isAlive(record.process)) {
      announce(`${whatChanged(record, wanted)} have changed: the worker is started again.`);
      await stopProcess(record.process, WORKER_GRACE_MS);
    }
    await start(config, files, wanted);
  });
}

/** Drains and stops the background worker. Tells whether one ran. */
export function stopWorker({ home }: Pick<Config, 'home'>): Promise<boolean> {
  const files = homeFiles(home);
  return withLock(files.workerLock, async () => {
    const record = files.worker.read();
    if (record === undefined || !isAlive(record.process)) return false;
    await stopProcess(record.process, WORKER_GRACE_MS);
    return true;
  });
}

/** For the background worker itself: says that it takes work now. The function that it returns takes this back. */
export function announceReady({ home }: Pick<Config, 'home'>): () => void {
  const files = homeFiles(home);
  files.workerReady.write(ownIdentity());
  return () => files.workerReady.remove();
}

type Wanted = Omit<WorkerRecord, 'process'>;

function isUpToDate(files: HomeFiles, wanted: Wanted): boolean {
  const record = files.worker.read();
  return record !== undefined && isSame(record, wanted) && isAlive(record.process) && isReady(files, record.process);
}

function isSame(record: WorkerRecord, wanted: Wanted): boolean {
  return record.sources === wanted.sources && record.settings === wanted.settings;
}

function whatChanged(record: WorkerRecord, wanted: Wanted): string {
  return record.sources === wanted.sources ? 'The settings' : 'The sources';
}

async function start(config: Config, files: HomeFiles, wanted: Wanted): Promise<void> {
  files.workerReady.remove();
  const log = openSync(files.workerLog, 'a', 0o600);
  const logStart = statSync(files.workerLog).size;
  const child = spawn(process.execPath, ['--import', 'tsx', join(config.root, 'worker.ts')], {
    cwd: config.root,
    env: { ...config.environment, PAWL_HOME: config.home, PAWL_BACKGROUND: '1' },
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  const worker = child.pid === undefined ? undefined : identityOf(child.pid);
  if (worker === undefined) throw new Error(`${process.execPath} cannot be started`);
  files.worker.write({ ...wanted, process: worker });
  if (await becomesReady(files, worker)) return;
  throw new WorkerNotStarted(writtenSince(files.workerLog, logStart) || `it ended without a word`);
}

/** Waits for a worker that is starting; false where it ends instead. */
async function becomesReady(files: HomeFiles, worker: ProcessIdentity): Promise<boolean> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (isAlive(worker)) {
    if (isReady(files, worker)) return true;
    if (Date.now() > deadline)
      throw new WorkerNotStarted(`it is not ready after ${START_TIMEOUT_MS} ms; see ${files.workerLog}`);
    await delay(START_POLL_MS);
  }
  return false;
}

function isReady(files: HomeFiles, worker: ProcessIdentity): boolean {
  const ready = files.workerReady.read();
  return ready?.pid === worker.pid && ready.started === worker.started;
}

/** What a running worker cannot learn: where it works, and what it read when it started. Only a digest is kept: keys are in it. */
function settingsHash(config: Config, { address, namespace }: Target): string {
  const { model, taskQueue, storage, logLevel, weather, providers, temporalEnv } = config;
  const settings = { model, taskQueue, storage, logLevel, weather, providers, temporalEnv, address, namespace };
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex');
}
