import type { Cli } from './cli.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { withConnection } from './with-connection.ts';

/** `cancel`: asks a run to stop. What is running is told to; its results are kept. One that is over stays as it is. */
export function cancel(cli: Cli, run: string): Promise<ExitCode> {
  return withConnection(cli, 'server_and_worker', async ({ client }) => {
    const { state, status } = await client.show(run);
    if (state !== 'running') {
      cli.terminal.note(`The run ${run} is over already: ${status}.`);
      return EXIT.completed;
    }
    await client.cancel(run);
    cli.terminal.note(`The run ${run} is asked to stop.`);
    return EXIT.completed;
  });
}
