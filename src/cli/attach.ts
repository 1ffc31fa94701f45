import type { Cli } from './cli.ts';
import { conclude } from './conclude.ts';
import type { ExitCode } from './exit-codes.ts';
import { follow } from './follow.ts';
import type { AttachOptions } from './program.ts';
import { withConnection } from './with-connection.ts';

/** `attach`: follows a run to its end, or until Ctrl-C. */
export function attach(cli: Cli, run: string, { after, json }: AttachOptions): Promise<ExitCode> {
  return withConnection(cli, 'server_and_worker', async ({ client }) => {
    const ending = await follow(cli, client, { run, after, format: json ? 'json' : 'text', until: () => false });
    return conclude(cli, run, ending);
  });
}
