import type { AgentClient } from '../client/agent-client.ts';
import type { RunRequest } from '../protocol/run.ts';
import type { RecordedCall } from '../testing/sequence.ts';
import type { Cli, Connected } from './cli.ts';
import { conclude } from './conclude.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { follow } from './follow.ts';
import { chatHints, formatHints } from './hints.ts';
import type { RecordOptions } from './program.ts';
import { runRequest } from './run-request.ts';
import { openSequenceFile, type SequenceFile } from './sequence-file.ts';
import { targetLine } from './target-line.ts';
import { withConnection } from './with-connection.ts';

/**
 * `record`: a run whose model calls are kept as JSON lines. A worker in this process does it, so that no other one is
 * disturbed; the run is followed to its end, since with this process its worker ends too.
 */
export async function record(cli: Cli, question: readonly string[], options: RecordOptions): Promise<ExitCode> {
  const request = await runRequest(question, options);
  const file = openSequenceFile(options.out);
  try {
    return await withConnection(cli, 'server', (connected) => recordRun(cli, connected, { request, options, file }));
  } finally {
    file.close();
  }
}

interface Recording {
  readonly request: RunRequest;
  readonly options: RecordOptions;
  readonly file: SequenceFile;
}

async function recordRun(cli: Cli, { config, target }: Connected, recording: Recording): Promise<ExitCode> {
  const { withRecordingWorker } = await import('../testing/recording-worker.ts');
  cli.terminal.note(targetLine(target));
  const { file, options } = recording;
  const onCall = (call: RecordedCall): void => file.write(call);
  const code = await withRecordingWorker({ config, target, onCall }, (client) => followToEnd(cli, client, recording));
  cli.terminal.note(`${file.calls} model ${file.calls === 1 ? 'call' : 'calls'} recorded in ${options.out}`);
  return code;
}

async function followToEnd(cli: Cli, client: AgentClient, { request, options }: Recording): Promise<ExitCode> {
  const { terminal, pawl } = cli;
  const { run } = await client.start(request, { id: options.id });
  if (options.chat) terminal.note(`From another terminal:\n${formatHints(chatHints(pawl, run), terminal.style)}`);
  const events = {
    events: client.events.bind(client),
    waitForWorker: () => Promise.resolve(true), // it is this process
  };
  const format = options.json ? 'json' : 'text';
  const ending = await follow(cli, events, { run, format, until: () => false });
  if (ending.type !== 'detached') return conclude(cli, run, ending);
  terminal.note(`\nThe run ${run} is stopped: its worker ends here.`);
  await client.cancel(run);
  await client.result(run);
  return EXIT.cancelled;
}
