// Turns what an activity throws into Temporal's failure: its type, whether to try again, and when.

import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import { ModelError } from '../adapters/model-adapter.ts';
import { FAILURES, modelFailureType } from '../protocol/activities.ts';
import { cutText } from '../protocol/json.ts';
import { MAX_ERROR_TEXT_BYTES } from '../protocol/limits.ts';

/** First wait; each further one is twice as long. */
const FIRST_DELAY_MS = 1_000;
/** Longer waits help no outage and keep a person waiting. */
const MAX_DELAY_MS = 60_000;
/** Spreads the attempts of runs that failed together: each wait is up to this part longer or shorter. */
const JITTER = 0.2;
/** As good as at once; zero would mean "by the retry policy". */
const AT_ONCE_MS = 1;
/** The message with which the SDK cancels activities of a worker that stops. */
const WORKER_SHUTDOWN = 'WORKER_SHUTDOWN';
/** Deeper chains are loops. */
const MAX_CAUSES = 8;

/**
 * The failure for an error, with `attempt` counted from 1. Holds no cause and no more than 4 KiB of text: a cause may
 * quote a key or a whole request. A failure that is one already is handed back unchanged.
 */
export function toActivityFailure(error: unknown, attempt: number): ApplicationFailure {
  if (isWorkerShutdown(error)) return stoppedWorker();
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof ModelError) return ofModelError(error, attempt);
  return ofUnknown(error, attempt);
}

/** Wait before the attempt after `attempt`, in ms; `random` is between 0 and 1. */
export function retryDelayMs(attempt: number, random: number): number {
  const delay = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS);
  return Math.round(delay * (1 + JITTER * (2 * random - 1)));
}

/** Whether an error is, or was caused by, the stop of the worker: the attempt did nothing wrong. */
export function isWorkerShutdown(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth++) {
    if (current instanceof CancelledFailure && current.message === WORKER_SHUTDOWN) return true;
    current = current.cause;
  }
  return false;
}

function stoppedWorker(): ApplicationFailure {
  return ApplicationFailure.create({
    message: 'The worker stopped; the next attempt starts at once.',
    type: FAILURES.workerLost,
    nextRetryDelay: AT_ONCE_MS,
    category: ApplicationFailureCategory.BENIGN,
  });
}

function ofModelError(error: ModelError, attempt: number): ApplicationFailure {
  const message = cutText(error.message, MAX_ERROR_TEXT_BYTES);
  const type = modelFailureType(error.kind);
  if (!error.retryable) return ApplicationFailure.create({ message, type, nonRetryable: true });
  return ApplicationFailure.create({
    message,
    type,
    nextRetryDelay: error.retryAfterMs || retryDelayMs(attempt, Math.random()), // zero would hammer the provider
    category: ApplicationFailureCategory.BENIGN,
  });
}

/** An error that nobody foresaw: retried, since attempts are capped, and logged as what it is. */
function ofUnknown(error: unknown, attempt: number): ApplicationFailure {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const failure = ApplicationFailure.create({
    message: cutText(message, MAX_ERROR_TEXT_BYTES),
    type: name,
    nextRetryDelay: retryDelayMs(attempt, Math.random()),
  });
  failure.stack = cutText(stack ?? '', MAX_ERROR_TEXT_BYTES);
  return failure;
}
