import { asyncLocalStorage, Context, type Info } from '@temporalio/activity';
import { ApplicationFailure, type Logger, noopMetricMeter } from '@temporalio/common';
import { NON_RETRYABLE } from '../protocol/activities.ts';

/** What an activity is called as. */
export interface ActivityPlace {
  readonly run: string;
  readonly activityType: string;
  readonly activityId: string;
  readonly startToCloseTimeoutMs: number;
  /** Attempts, the first included. */
  readonly maxAttempts: number;
}

const TASK_QUEUE = 'played';
/** What a worker would write at its usual level drowns the output of a test; warnings are about the tested code. */
const LOGGER: Logger = { log() {}, trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error };

/**
 * Carries an activity out in this process as often as its retry policy allows, without the pauses. Throws the failure of
 * its last attempt. The result is what a payload would carry.
 */
export async function inActivity<T>(place: ActivityPlace, activity: () => Promise<T>): Promise<T> {
  let details: unknown;
  const heartbeat = (told: unknown): void => {
    details = told;
  };
  for (let attempt = 1; ; attempt++) {
    const context = contextOf(infoOf(place, attempt, details), heartbeat);
    try {
      return JSON.parse(JSON.stringify((await asyncLocalStorage.run(context, activity)) ?? null));
    } catch (error) {
      if (isFinal(error) || attempt >= place.maxAttempts) throw error;
    }
  }
}

function isFinal(error: unknown): boolean {
  if (!(error instanceof ApplicationFailure)) return true; // a bug, which no attempt mends
  return error.nonRetryable === true || NON_RETRYABLE.some((type) => type === error.type);
}

function contextOf(info: Info, heartbeat: (details: unknown) => void): Context {
  const { signal } = new AbortController(); // nothing cancels it
  const never = new Promise<never>(() => undefined);
  return new Context(info, never, signal, heartbeat, undefined, LOGGER, noopMetricMeter, {});
}

function infoOf(place: ActivityPlace, attempt: number, heartbeatDetails: unknown): Info {
  const { run, activityType, activityId, startToCloseTimeoutMs } = place;
  const now = Date.now();
  return {
    attempt,
    activityType,
    activityId,
    heartbeatDetails,
    startToCloseTimeoutMs,
    scheduleToCloseTimeoutMs: startToCloseTimeoutMs,
    workflowExecution: { workflowId: run, runId: run },
    workflowType: 'agentRun',
    taskQueue: TASK_QUEUE,
    taskToken: new Uint8Array(),
    base64TaskToken: '',
    isLocal: false,
    inWorkflow: true,
    namespace: 'default',
    activityNamespace: 'default',
    workflowNamespace: 'default',
    scheduledTimestampMs: now,
    currentAttemptScheduledTimestampMs: now,
  };
}
