import type { Cli } from './cli.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { ended, spawnWorker, stopped } from './foreground.ts';
import { watchSources } from './source-changes.ts';
import { targetLine } from './target-line.ts';

/** `dev`: server and worker until Ctrl-C; a change of the sources starts a new worker. */
export async function dev(cli: Cli): Promise<ExitCode> {
  const config = await cli.config();
  const [{ findTarget, down }, { stopWorker }] = await Promise.all([
    import('../temporal/background.ts'),
    import('../temporal/background-worker.ts'),
  ]);
  const target = await findTarget(config, cli.terminal.note);
  await stopWorker(config); // it would take runs away from the one that is watched here
  cli.terminal.print(targetLine(target));
  await workUntilInterrupted(cli);
  if (target.source === 'embedded') await down(config);
  return EXIT.completed;
}

async function workUntilInterrupted(cli: Cli): Promise<void> {
  let child = start(cli);
  let restarts = Promise.resolve();
  const endWatch = watchSources(cli.root, () => {
    restarts = restarts.then(async () => {
      cli.terminal.note('The sources have changed: the worker is started again.');
      await stopped(child);
      child = start(cli);
    });
  });
  await new Promise<void>((resolve) => cli.onInterrupt(resolve));
  cli.terminal.note('Stopping.');
  endWatch();
  await restarts;
  await stopped(child);
}

function start(cli: Cli): ReturnType<typeof spawnWorker> {
  const child = spawnWorker(cli);
  void ended(child).then((code) => {
    // The fault is in the sources, and the worker has told it; the next change may mend it.
    if (code !== null && code !== 0) cli.terminal.note('The worker has ended. The next change starts a new one.');
  });
  return child;
}
