import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ActivityNotFoundError, type Client } from '@temporalio/client';
import { ApplicationFailure, type Logger } from '@temporalio/common';
import { FAILURES } from '../protocol/activities.ts';
import { isOrphaned, type Lease, type LeaseOwner, leaseFileName, openLeases } from './lease-file.ts';

/** For one attempt. A server that is slower than this decides by heartbeat time-out, as it would without a journal. */
const DEADLINE_MS = 10_000;
/** Zero would mean the back-off of the retry policy. */
const AT_ONCE_MS = 1;

export interface TakeOver {
  /** Of the lease journals. */
  readonly folder: string;
  /** This process. */
  readonly owner: LeaseOwner;
  isAlive(owner: LeaseOwner): boolean;
  readonly client: Client;
  readonly logger: Logger;
}

/**
 * Fails the attempts of processes of this machine that died, each by its own task token, so that the next attempts start
 * at once instead of after the heartbeat time-out. Never rejects: what can't be helped is logged.
 */
export async function takeOver({ folder, owner, isAlive, client, logger }: TakeOver): Promise<void> {
  try {
    const names = await readdir(folder);
    const orphans = names.map((name) => join(folder, name)).filter((path) => isOrphaned(path, isAlive));
    const claimed = await Promise.all(
      orphans.map((path) => claim(path, join(folder, leaseFileName(owner, randomUUID())))),
    );
    await Promise.all(claimed.map((path) => path && releaseAll(path, client, logger)));
  } catch (error) {
    logger.warn('leases of dead workers were not taken over', { folder, error });
  }
}

/** Renaming succeeds for one process only. The new name is this process's own, so that its death frees the file again. */
async function claim(path: string, own: string): Promise<string | undefined> {
  try {
    await rename(path, own);
    return own;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function releaseAll(path: string, client: Client, logger: Logger): Promise<void> {
  const leases = openLeases(await readFile(path, 'utf8'));
  await Promise.all(leases.map((lease) => release(lease, client, logger)));
  await rm(path);
}

async function release(lease: Lease, client: Client, logger: Logger): Promise<void> {
  const { token, workflowId, runId, effect } = lease;
  try {
    await client.withDeadline(Date.now() + DEADLINE_MS, async () => {
      await client.activity.fail(Buffer.from(token, 'base64'), failureOf(lease));
      // After the failure, which would have the server forget it again.
      await resetSticky(lease, client);
    });
    logger.info('took over an attempt of a dead worker', { workflowId, runId, effect });
  } catch (error) {
    if (isOver(error)) return;
    logger.warn('an attempt of a dead worker was not taken over', { workflowId, runId, error });
  }
}

/** Otherwise the run's next workflow task waits for the dead worker's cache first. */
async function resetSticky({ workflowId, runId }: Lease, client: Client): Promise<void> {
  const { namespace } = client.options;
  await client.workflowService.resetStickyTaskQueue({ namespace, execution: { workflowId, runId } });
}

function failureOf({ effect }: Lease): ApplicationFailure {
  const message = 'the worker died during this attempt';
  if (effect === 'once') return ApplicationFailure.nonRetryable(message, FAILURES.workerLostOnce);
  return ApplicationFailure.create({ message, type: FAILURES.workerLost, nextRetryDelay: AT_ONCE_MS });
}

/** The attempt, or its whole run, has ended in the meantime: there is nothing to take over. */
function isOver(error: unknown): boolean {
  return (
    error instanceof ActivityNotFoundError ||
    (error instanceof Error && 'code' in error && error.code === GRPC_NOT_FOUND)
  );
}

const GRPC_NOT_FOUND = 5;

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
