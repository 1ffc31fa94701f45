import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { parseCursor } from '../client/cursor.ts';
import type { ListStatus } from '../client/list-runs.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** What `run` was told. */
export interface RunOptions {
  readonly agent: string;
  readonly model?: string;
  readonly maxIterations?: number;
  readonly id?: string;
  readonly chat?: boolean;
  readonly messages?: string;
  readonly json?: boolean;
  readonly detach?: boolean;
}

/** What `record` was told. */
export interface RecordOptions extends Omit<RunOptions, 'detach'> {
  /** The file that takes the model calls. */
  readonly out: string;
}

/** What `attach` was told. */
export interface AttachOptions {
  readonly after?: string;
  readonly json?: boolean;
}

/** What `show` was told. */
export interface ShowOptions {
  readonly json?: boolean;
  readonly messages?: boolean;
}

/** What `list` was told. */
export interface ListOptions {
  readonly status?: ListStatus;
}

/** The commands, one function each; what they give back is the exit code. */
export interface Commands {
  run(question: readonly string[], options: RunOptions): Promise<ExitCode>;
  record(question: readonly string[], options: RecordOptions): Promise<ExitCode>;
  attach(run: string, options: AttachOptions): Promise<ExitCode>;
  show(run: string, options: ShowOptions): Promise<ExitCode>;
  send(run: string, text: readonly string[]): Promise<ExitCode>;
  close(run: string): Promise<ExitCode>;
  cancel(run: string): Promise<ExitCode>;
  list(options: ListOptions): Promise<ExitCode>;
  worker(): Promise<ExitCode>;
  dev(): Promise<ExitCode>;
  down(): Promise<ExitCode>;
}

/** What `list --status` takes. A record, so that none is missing: the client's own list would load the client. */
const LIST_STATUSES: Readonly<Record<ListStatus, true>> = {
  running: true,
  completed: true,
  limit_reached: true,
  refused: true,
  truncated: true,
  cancelled: true,
  failed: true,
  terminated: true,
  timed_out: true,
};

/**
 * Parses the arguments and carries out the command that they name. Never throws for a fault in the arguments: it says
 * what is wrong, and gives 2. What a command throws passes through.
 */
export async function runProgram(
  args: readonly string[],
  commands: Commands,
  terminal: Terminal,
  pawl: string,
): Promise<ExitCode> {
  let code: ExitCode = EXIT.completed;
  const program = createProgram(commands, terminal, pawl, (ended) => {
    code = ended;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.completed : EXIT.usage;
  }
  return code;
}

function createProgram(commands: Commands, terminal: Terminal, pawl: string, ended: (code: ExitCode) => void): Command {
  const program = new Command(pawl)
    .description('Runs LLM agents as durable Temporal workflows.')
    .exitOverride()
    .configureHelp({ showGlobalOptions: false })
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
    })
    .helpCommand(false);
  addRun(program, commands, terminal, ended);
  addReaders(program, commands, ended);
  addWriters(program, commands, ended);
  addProcesses(program, commands, ended);
  return program;
}

function addRun(program: Command, commands: Commands, terminal: Terminal, ended: (code: ExitCode) => void): void {
  const run = program
    .command('run')
    .description('ask an agent and follow it to its answer; Ctrl-C detaches, and the run goes on')
    .option('--detach', "start the run, print its id, and don't follow it");
  addQuestion<RunOptions>(
    run,
    terminal,
    async (question, options) => ended(await commands.run(question, options)),
    ended,
  );
  const record = program
    .command('record')
    .description('run, and keep the answers of the model in a file that tests can replay; Ctrl-C stops the run')
    .addOption(new Option('--out <file>', 'the file; what is in it is lost').argParser(notEmpty).makeOptionMandatory());
  addQuestion<RecordOptions>(
    record,
    terminal,
    async (question, options) => ended(await commands.record(question, options)),
    ended,
  );
}

/** What every command takes that starts a run. */
function addQuestion<Options extends Pick<RunOptions, 'messages'>>(
  command: Command,
  terminal: Terminal,
  carryOut: (question: string[], options: Options) => Promise<void>,
  ended: (code: ExitCode) => void,
): void {
  command
    .argument('[question...]', 'what the agent is asked')
    .addOption(new Option('--agent <name>', 'the agent that is asked').argParser(notEmpty).default('demo'))
    .addOption(new Option('--model <name>', "instead of the agent's model: provider/model").argParser(notEmpty))
    .addOption(new Option('--max-iterations <n>', 'stop the turn after so many iterations').argParser(positive))
    .addOption(new Option('--id <run>', 'the id of the new run; one that exists is refused').argParser(notEmpty))
    .option('--chat', 'keep the run open for more messages after the first answer')
    .addOption(
      new Option('--messages <file>', 'go on from a conversation, as show --messages prints it').argParser(notEmpty),
    )
    .option('--json', 'print the events, one JSON object a line, and nothing else');
  command.action(async (question: string[], options: Options) => {
    if (question.join(' ').trim() === '' && options.messages === undefined) {
      terminal.note('The question is empty. Say what the agent is asked.\n');
      command.outputHelp({ error: true });
      ended(EXIT.usage);
      return;
    }
    await carryOut(question, options);
  });
}

function addReaders(program: Command, commands: Commands, ended: (code: ExitCode) => void): void {
  program
    .command('attach')
    .description('follow a run, from its beginning or after a cursor')
    .argument('<run>', 'id of the run')
    .addOption(new Option('--after <cursor>', 'leave out all up to this cursor').argParser(cursor))
    .option('--json', 'print the events, one JSON object a line, and nothing else')
    .action(async (run: string, options: AttachOptions) => ended(await commands.attach(run, options)));
  program
    .command('show')
    .description('print what has happened in a run so far')
    .argument('<run>', 'id of the run')
    .addOption(new Option('--json', 'print the events, one JSON object a line').conflicts('messages'))
    .option('--messages', 'print the transcript as JSON, as run --messages takes it')
    .action(async (run: string, options: ShowOptions) => ended(await commands.show(run, options)));
  program
    .command('list')
    .description('list runs, the newest first')
    .addOption(new Option('--status <status>', 'only runs of this status').choices(Object.keys(LIST_STATUSES)))
    .action(async (options: ListOptions) => ended(await commands.list(options)));
}

function addWriters(program: Command, commands: Commands, ended: (code: ExitCode) => void): void {
  program
    .command('send')
    .description('say something more to an open chat, and follow it to the answer')
    .argument('<run>', 'id of the run')
    .argument('<text...>', 'what is said')
    .action(async (run: string, text: string[]) => ended(await commands.send(run, text)));
  program
    .command('close')
    .description('end a chat when what is waiting has been answered')
    .argument('<run>', 'id of the run')
    .action(async (run: string) => ended(await commands.close(run)));
  program
    .command('cancel')
    .description('stop a run now')
    .argument('<run>', 'id of the run')
    .action(async (run: string) => ended(await commands.cancel(run)));
}

function addProcesses(program: Command, commands: Commands, ended: (code: ExitCode) => void): void {
  program
    .command('worker')
    .description('run a worker here until Ctrl-C')
    .action(async () => ended(await commands.worker()));
  program
    .command('dev')
    .description('run server and worker here until Ctrl-C, with a new worker when the sources change')
    .action(async () => ended(await commands.dev()));
  program
    .command('down')
    .description('stop the background server and worker; open runs wait for the next start')
    .action(async () => ended(await commands.down()));
}

function positive(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return Number(value);
}

function notEmpty(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return value;
}

function cursor(value: string): string {
  if (parseCursor(value) === undefined) throw new InvalidArgumentError('It must be the cursor of an event: 1.12.80.');
  return value;
}
