import type { RunRow } from '../client/list-runs.ts';
import type { Cli } from './cli.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { oneLine, printable } from './printable.ts';
import type { ListOptions } from './program.ts';
import type { Style } from './style.ts';
import { withConnection } from './with-connection.ts';

/** `list`: runs, the newest first, one a line. Needs no worker. */
export function list(cli: Cli, { status }: ListOptions): Promise<ExitCode> {
  return withConnection(cli, 'server', async ({ client }) => {
    const rows = await client.list({ status });
    cli.terminal.print(formatRows(rows, cli.terminal.style));
    if (rows.length === 0) cli.terminal.note(status === undefined ? 'There are no runs yet.' : `No run is ${status}.`);
    return EXIT.completed;
  });
}

/** Runs in columns: id, status, when it started, and the beginning of what it answered. */
export function formatRows(rows: readonly RunRow[], style: Style): string {
  const idWidth = Math.max(...rows.map(({ run }) => printable(run).length));
  const statusWidth = Math.max(...rows.map(({ status }) => status.length));
  return rows
    .map(({ run, status, startedAt, result }) => {
      const when = startedAt.slice(0, 'YYYY-MM-DDThh:mm:ss'.length).replace('T', ' ');
      const head = `${printable(run).padEnd(idWidth)}  ${status.padEnd(statusWidth)}  ${when}`;
      const answer = oneLine(result?.text ?? '', Math.max(style.columns - head.length - 2, 20));
      return answer === '' ? head : `${head}  ${style.dim(answer)}`;
    })
    .join('\n');
}
