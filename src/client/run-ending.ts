import { cutText } from '../protocol/json.ts';
import { RUN_FAILURES, type RunResult } from '../protocol/run.ts';
import type { LinkEnding } from './decoded-event.ts';
import type { RunView } from './run-view.ts';

/** The identity with which the server itself ends runs that break its limits. */
const SERVER_IDENTITY = 'history-service';
/** As much of the model's last text as a `LastState` holds. */
const LAST_TEXT_BYTES = 500;

/** An ending after which the run does not go on. */
export type FinalEnding = Exclude<LinkEnding, { status: 'continued' }>;

/** The result that the ending itself carries; undefined where it has to be put together from the run's history. */
export function carriedResult(ending: FinalEnding): RunResult | undefined {
  if (ending.status === 'completed') return ending.result as RunResult;
  if (ending.status === 'failed' && ending.failureType === RUN_FAILURES.failed) {
    return (ending.details ?? undefined) as RunResult | undefined;
  }
  return undefined;
}

/** The result of a run, whatever ended it. */
export function resultOf(ending: FinalEnding, view: RunView): RunResult {
  return carriedResult(ending) ?? ((ending.status === 'cancelled' && view.memoResult) || madeUp(ending, view));
}

/** In plain words, for a run that something ended from outside its own code. */
function madeUp(ending: FinalEnding, view: RunView): RunResult {
  return {
    ...endingInWords(ending),
    iterations: view.iteration,
    usage: view.usage,
    costUsdMicros: view.costUsdMicros,
    lastState: { text: cutText(view.lastText, LAST_TEXT_BYTES), lastCalls: [] },
    turns: view.turn,
    transcript: view.transcript,
  };
}

function endingInWords(ending: FinalEnding): Pick<RunResult, 'status' | 'reason' | 'text'> {
  switch (ending.status) {
    case 'cancelled':
      return { status: 'cancelled', reason: 'user_cancelled', text: 'The run was cancelled.' };
    case 'terminated':
      return terminationInWords(ending.identity, ending.reason);
    case 'timed_out':
      return { status: 'failed', reason: 'timeout', text: 'The run took longer than its workflow timeout allows.' };
    case 'failed':
      return { status: 'failed', reason: 'server_error', text: `The run failed: ${ending.message}` };
    case 'completed':
      return { status: 'completed', text: '' };
  }
}

function terminationInWords(identity: string, reason: string): Pick<RunResult, 'status' | 'reason' | 'text'> {
  if (identity === SERVER_IDENTITY) {
    return { status: 'failed', reason: 'server_error', text: `The Temporal server ended the run: ${reason}` };
  }
  const why = reason ? `: ${reason}` : '.';
  return { status: 'cancelled', reason: 'user_cancelled', text: `The run was terminated by ${identity}${why}` };
}
