import type { Cli } from './cli.ts';
import type { ExitCode } from './exit-codes.ts';
import { explain } from './explain.ts';
import { type Commands, runProgram } from './program.ts';

/** Carries out what the arguments say and gives the exit code. Never throws: every error ends in words and a code. */
export async function main(args: readonly string[], cli: Cli): Promise<ExitCode> {
  try {
    return await runProgram(args, commands(cli), cli.terminal, cli.pawl);
  } catch (error) {
    cli.terminal.wait(undefined);
    const { code, text } = explain(error, cli);
    cli.terminal.note(text);
    return code;
  }
}

/** Each command is loaded when it is called: `--help` needs none of them. */
function commands(cli: Cli): Commands {
  return {
    run: async (question, options) => (await import('./run.ts')).run(cli, question, options),
    record: async (question, options) => (await import('./record.ts')).record(cli, question, options),
    attach: async (run, options) => (await import('./attach.ts')).attach(cli, run, options),
    show: async (run, options) => (await import('./show.ts')).show(cli, run, options),
    send: async (run, text) => (await import('./send.ts')).send(cli, run, text),
    close: async (run) => (await import('./close.ts')).close(cli, run),
    cancel: async (run) => (await import('./cancel.ts')).cancel(cli, run),
    list: async (options) => (await import('./list.ts')).list(cli, options),
    worker: async () => (await import('./worker.ts')).worker(cli),
    dev: async () => (await import('./dev.ts')).dev(cli),
    down: async () => (await import('./down.ts')).down(cli),
  };
}
