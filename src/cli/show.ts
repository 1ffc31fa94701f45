import type { RunSummary } from '../client/show-run.ts';
import type { Cli, Connected } from './cli.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { printEvents } from './follow.ts';
import { oneLine, printable, printableJson } from './printable.ts';
import type { ShowOptions } from './program.ts';
import type { Style } from './style.ts';
import { uiLink } from './ui-link.ts';
import { withConnection } from './with-connection.ts';

/** `show`: what has happened in a run so far, as text, as events, or as the transcript. Needs no worker. */
export function show(cli: Cli, run: string, { json, messages }: ShowOptions): Promise<ExitCode> {
  return withConnection(cli, 'server', async (connected) => {
    const { client } = connected;
    if (messages) cli.terminal.print(printableJson(await client.transcript(run), 2));
    else if (json) await printEvents(cli.terminal, client.events(run, { until: 'now' }), 'json');
    else await showText(cli, connected, run);
    return EXIT.completed;
  });
}

async function showText({ terminal }: Cli, { client, target }: Connected, run: string): Promise<void> {
  await printEvents(terminal, client.events(run, { until: 'now' }), 'text');
  const summary = await client.show(run);
  if (summary.state === 'running') terminal.print(openRun(summary, terminal.style));
  terminal.print(uiLink(target, run, summary.runId));
}

/** Where an open run stands, and what it is doing right now. */
export function openRun({ status, turn, iteration, pending }: RunSummary, style: Style): string {
  const head = `${style.bold('Now')} ${status}, turn ${turn}, iteration ${iteration}`;
  const calls = pending.map(({ name, attempt, lastFailure }) => {
    const failed = lastFailure === undefined ? '' : `; before it: ${oneLine(lastFailure, style.columns / 2)}`;
    return `  ${style.cyan('…')} ${printable(name)} is running, attempt ${attempt}${failed}`;
  });
  return [head, ...calls].join('\n');
}
