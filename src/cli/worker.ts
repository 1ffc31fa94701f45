import type { Cli } from './cli.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { ended, spawnWorker, stopped } from './foreground.ts';
import { targetLine } from './target-line.ts';

/** `worker`: one worker in the foreground, until Ctrl-C. */
export async function worker(cli: Cli): Promise<ExitCode> {
  const { target, close } = await cli.connect('server'); // where there is none, it is told here, with its exit code
  await close();
  cli.terminal.note(targetLine(target));
  const child = spawnWorker(cli);
  let interrupted = false;
  const release = cli.onInterrupt(() => {
    interrupted = true;
    cli.terminal.note('Stopping the worker.');
    void stopped(child);
  });
  const code = await ended(child);
  release();
  if (interrupted || code === 0) return EXIT.completed;
  return Object.values(EXIT).find((known) => known === code) ?? EXIT.bug;
}
