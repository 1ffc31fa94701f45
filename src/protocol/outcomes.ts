// What a call that gave no result of its own means, and what the model is told of it. Workflow and reducer both ask here.

import { FAILURES } from './activities.ts';
import { cutText } from './json.ts';
import { MAX_ERROR_TEXT_BYTES } from './limits.ts';
import type { Outcome } from './run.ts';
import type { Effect } from './snapshot.ts';

/** How the activity of a call failed, freed of Temporal's classes. */
export type CallFailure =
  | { readonly kind: 'cancelled' }
  | {
      readonly kind: 'timeout';
      readonly timeoutType: 'START_TO_CLOSE' | 'SCHEDULE_TO_START' | 'SCHEDULE_TO_CLOSE' | 'HEARTBEAT';
    }
  | { readonly kind: 'application'; readonly type: string; readonly message: string }
  | { readonly kind: 'other'; readonly message: string };

export interface CallEnding {
  readonly outcome: Outcome;
  /** For the model. It says "not run" only where the handler can't have started. */
  readonly text: string;
}

/** Why a call is not run, where history has no text of its own for it. */
export const NOT_RUN = {
  noSuchTool: 'this run has no such tool.',
  cancelled: 'the run was cancelled.',
} as const;

/** What the model is told of a call that was not run. */
export function notRunText(name: string, why: string): string {
  return `${name} was not run: ${why}`;
}

/** The outcome of a call whose activity failed, by what its tool promises about running twice. */
export function outcomeOfFailure(failure: CallFailure, effect: Effect, name: string): CallEnding {
  const ending = endingOf(failure, effect, name);
  return { outcome: ending.outcome, text: cutText(ending.text, MAX_ERROR_TEXT_BYTES) };
}

function endingOf(failure: CallFailure, effect: Effect, name: string): CallEnding {
  switch (failure.kind) {
    case 'cancelled':
      return { outcome: 'cancelled', text: `${name} was interrupted. It may have had effects.` };
    case 'timeout':
      if (failure.timeoutType === 'SCHEDULE_TO_START') {
        return { outcome: 'skipped', text: `${name} was not run: no worker took it in time.` };
      }
      return lost(`${name} timed out`, effect);
    case 'application':
      return endingOfType(failure.type, failure.message, effect, name);
    case 'other':
      return { outcome: 'failed', text: `${name} failed: ${failure.message || 'no reason was given'}` };
  }
}

function endingOfType(type: string, message: string, effect: Effect, name: string): CallEnding {
  switch (type) {
    case FAILURES.toolNotHere:
      return { outcome: 'skipped', text: `${name} was not run: the worker that took it does not have this tool.` };
    case FAILURES.workerLost:
    case FAILURES.workerLostOnce:
      return lost(`The worker was lost while ${name} ran`, effect);
    case FAILURES.toolFailed:
      if (effect === 'once') return lost(`${name} failed: ${message}`, effect);
      return { outcome: 'failed', text: `${name} failed: ${message}` };
    case FAILURES.payloadsTooLarge:
      return { outcome: 'failed', text: `${name} ran, but its result was too large to be kept.` };
    default:
      return { outcome: 'failed', text: `${name} failed: ${message || 'no reason was given'}` };
  }
}

/** It started and left no result. Only where running has no effect is that a plain failure. */
function lost(what: string, effect: Effect): CallEnding {
  if (effect === 'read') return { outcome: 'failed', text: `${what}.` };
  return { outcome: 'unknown', text: `${what}. Its outcome is unknown: it may have happened. Check before repeating.` };
}
