// How an activity is stopped from outside, and what that means for its attempt.

import type { Context } from '@temporalio/activity';
import { isWorkerShutdown, toActivityFailure } from './failure.ts';

/** The part of the server's time-out that stays free. */
const DEADLINE_MARGIN = 0.05;

/**
 * Why an activity's signal was aborted. `cancelled`: the run asked for it. `worker_stopped`: the grace of a stopping
 * worker is over. `other`: the server no longer wants this attempt (timed out, paused, reset, run closed).
 */
export type StopCause = 'cancelled' | 'worker_stopped' | 'other';

/** The cause, once the activity's signal is aborted. */
export function stopCause(context: Context): StopCause {
  const { reason } = context.cancellationSignal;
  if (isWorkerShutdown(reason)) return 'worker_stopped';
  return reason instanceof Error && reason.message === 'CANCELLED' ? 'cancelled' : 'other';
}

/** What a stopped activity must throw, where it may be run again: a stopping worker hands the attempt back at once. */
export function failureOfStop(context: Context): unknown {
  const { reason } = context.cancellationSignal;
  return stopCause(context) === 'worker_stopped' ? toActivityFailure(reason, context.info.attempt) : reason;
}

/** Time that an attempt may take, in ms: so that one which is late fails here, by name, and not by the server's time-out. */
export function deadlineOf(context: Context): number {
  return context.info.startToCloseTimeoutMs * (1 - DEADLINE_MARGIN);
}

/** Rejects with the signal's reason as soon as it aborts. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
