// Temporal's failure classes, translated once into the plain values that the rest of the run works with.

import { ActivityFailure, ApplicationFailure, TemporalFailure, TimeoutFailure } from '@temporalio/common';
import { isCancellation } from '@temporalio/workflow';
import { FAILURES, reasonOfFailureType } from '../protocol/activities.ts';
import type { CallFailure } from '../protocol/outcomes.ts';
import type { Reason } from '../protocol/run.ts';
import type { NoAnswer } from './loop-ports.ts';

/** How a model call's activity failed. Rethrows what is no failure of an activity: that is a bug of ours. */
export function modelAnswerOfFailure(error: unknown): NoAnswer {
  if (isCancellation(error)) return { status: 'cancelled' };
  const cause = causeOf(error);
  const message = cause.message || 'no reason was given';
  if (cause instanceof TimeoutFailure) {
    return { status: 'failed', reason: 'timeout', message: `The model call timed out: ${message}` };
  }
  const type = cause instanceof ApplicationFailure ? cause.type : undefined;
  return { status: 'failed', reason: reasonOf(type), message };
}

/** How a tool call's activity failed. Rethrows what is no failure of an activity. */
export function callFailureOf(error: unknown): CallFailure {
  if (isCancellation(error)) return { kind: 'cancelled' };
  const cause = causeOf(error);
  if (cause instanceof TimeoutFailure) return { kind: 'timeout', timeoutType: cause.timeoutType as TimeoutType };
  if (cause instanceof ApplicationFailure) {
    return { kind: 'application', type: cause.type ?? '', message: cause.message };
  }
  return { kind: 'other', message: cause.message };
}

type TimeoutType = Extract<CallFailure, { kind: 'timeout' }>['timeoutType'];

/** An activity's failure comes wrapped; that of a local activity comes bare. */
function causeOf(error: unknown): Error {
  if (error instanceof ActivityFailure) return error.cause ?? error;
  if (error instanceof TemporalFailure) return error;
  throw error;
}

function reasonOf(type: string | null | undefined): Reason {
  switch (type) {
    case FAILURES.payloadsTooLarge:
      return 'payload_too_large';
    case FAILURES.unknownAgent:
      return 'unknown_agent';
    case FAILURES.invalidAgent:
      return 'invalid_request';
    case FAILURES.transcriptUnavailable:
    case FAILURES.workerLost:
      return 'connection';
    default:
      return reasonOfFailureType(type) ?? 'server_error';
  }
}
