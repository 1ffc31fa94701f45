import type { Cli } from './cli.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { withConnection } from './with-connection.ts';

/** `close`: lets a chat end when it has answered what waits. */
export function close(cli: Cli, run: string): Promise<ExitCode> {
  return withConnection(cli, 'server_and_worker', async ({ client }) => {
    await client.close(run);
    cli.terminal.note(`The run ${run} ends when it has answered what waits.`);
    return EXIT.completed;
  });
}
