import type { Cli, Connected, Needs } from './cli.ts';
import type { ExitCode } from './exit-codes.ts';

/** Does the work of a command while the connection is open, and closes it whatever happens. */
export async function withConnection(
  cli: Cli,
  needs: Needs,
  work: (connected: Connected) => Promise<ExitCode>,
): Promise<ExitCode> {
  cli.terminal.wait(needs === 'server' ? 'connecting' : 'starting server and worker');
  const connected = await cli.connect(needs);
  cli.terminal.wait(undefined);
  try {
    return await work(connected);
  } finally {
    await connected.close();
  }
}
