import { assertNever } from '../protocol/json.ts';
import type { Cli } from './cli.ts';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts';
import type { Ending } from './follow.ts';
import { detachedHints, formatHints } from './hints.ts';

/** Says what is to be said when a following is over, on stderr, and gives the exit code. */
export function conclude({ terminal, pawl }: Cli, run: string, ending: Ending): ExitCode {
  const hints = formatHints(detachedHints(pawl, run), terminal.style);
  switch (ending.type) {
    case 'ended':
      return ending.status === undefined ? EXIT.completed : exitCodeOf(ending.status);
    case 'detached':
      terminal.note(`\nDetached. The run ${run} goes on.\n${hints}`);
      return EXIT.completed;
    case 'no_worker':
      terminal.note(`No worker takes up the run ${run}; it stays queued. Start a worker: ${pawl} worker\n${hints}`);
      return EXIT.unavailable;
    default:
      return assertNever(ending);
  }
}
