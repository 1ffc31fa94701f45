import type { StartedRun } from '../client/start-run.ts';
import type { RunEvent } from '../protocol/events.ts';
import type { Cli, Connected } from './cli.ts';
import { conclude } from './conclude.ts';
import type { ExitCode } from './exit-codes.ts';
import { type Format, follow } from './follow.ts';
import { chatHints, detachedHints, formatHints, nextHints } from './hints.ts';
import type { RunOptions } from './program.ts';
import { runRequest } from './run-request.ts';
import { targetLine } from './target-line.ts';
import { uiLink } from './ui-link.ts';
import { withConnection } from './with-connection.ts';

/** `run`: starts a run and follows it to its answer; a chat to the end of its first turn. */
export async function run(cli: Cli, question: readonly string[], options: RunOptions): Promise<ExitCode> {
  const request = await runRequest(question, options);
  return withConnection(cli, 'server_and_worker', async (connected) => {
    introduce(cli, connected, options);
    const started = await connected.client.start(request, { id: options.id });
    return options.detach ? detach(cli, connected, started, options) : followToAnswer(cli, connected, started, options);
  });
}

function introduce({ terminal }: Cli, { config, target }: Connected, options: RunOptions): void {
  const say = options.json || options.detach ? terminal.note : terminal.print;
  say(targetLine(target));
  if (!config.offlineDemo || options.model !== undefined) return;
  say('Model: demo, which is offline and rule-based. To use Claude, put ANTHROPIC_API_KEY=… into .env');
}

async function followToAnswer(
  cli: Cli,
  { client, target }: Connected,
  { run, firstExecutionRunId }: StartedRun,
  options: RunOptions,
): Promise<ExitCode> {
  const until = (event: RunEvent): boolean => options.chat === true && event.type === 'turn_finished';
  const ending = await follow(cli, client, { run, format: formatOf(options), until });
  if (ending.type === 'ended' && !options.json) {
    const { terminal, pawl } = cli;
    const hints = options.chat ? chatHints(pawl, run) : nextHints(pawl, run);
    terminal.print(uiLink(target, run, firstExecutionRunId));
    terminal.print(`\nNext:\n${formatHints(hints, terminal.style)}`);
  }
  return conclude(cli, run, ending);
}

/** The first event is waited for: only then is it known that a worker has the run. */
async function detach(cli: Cli, { client }: Connected, { run }: StartedRun, options: RunOptions): Promise<ExitCode> {
  const { terminal, pawl } = cli;
  if (!options.json) terminal.print(run);
  const shown = options.json ? cli : { ...cli, terminal: { ...terminal, print: () => {} } };
  const ending = await follow(shown, client, { run, format: formatOf(options), until: () => true });
  if (ending.type === 'ended') terminal.note(formatHints(detachedHints(pawl, run), terminal.style));
  return conclude(cli, run, ending);
}

function formatOf({ json }: RunOptions): Format {
  return json ? 'json' : 'text';
}
