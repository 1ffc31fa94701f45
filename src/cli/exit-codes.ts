import { assertNever } from '../protocol/json.ts';
import type { Status } from '../protocol/run.ts';

/** What the shell is told. `completed` also stands for detached: the run goes on, and nothing went wrong. */
export const EXIT = {
  completed: 0,
  /** A fault of Pawl itself. */
  bug: 1,
  /** Something in what the user typed or configured. */
  usage: 2,
  limitReached: 3,
  /** Failed, refused or truncated. */
  failed: 4,
  /** No server, or no worker that takes the run. */
  unavailable: 5,
  cancelled: 6,
} as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code for a turn or run that ended with this status. */
export function exitCodeOf(status: Status): ExitCode {
  switch (status) {
    case 'completed':
      return EXIT.completed;
    case 'limit_reached':
      return EXIT.limitReached;
    case 'refused':
    case 'truncated':
    case 'failed':
      return EXIT.failed;
    case 'cancelled':
      return EXIT.cancelled;
    default:
      return assertNever(status);
  }
}
