import type { Config } from '../config.ts';
import type { Target } from '../temporal/connection.ts';
import type { Cli } from './cli.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { formatRows } from './list.ts';
import { counted } from './numbers.ts';

/** `down`: names the open runs, then stops the background worker and the embedded server. Starts nothing. */
export async function down(cli: Cli): Promise<ExitCode> {
  const config = await cli.config();
  const background = await import('../temporal/background.ts');
  const target = await runningTarget(config);
  if (target !== undefined) await nameOpenRuns(cli, target);
  const { worker, server } = await background.down(config);
  const stopped = [worker ? 'the worker' : '', server ? 'the server' : ''].filter((name) => name !== '');
  cli.terminal.note(stopped.length === 0 ? 'Nothing was running.' : `Stopped ${stopped.join(' and ')}.`);
  return EXIT.completed;
}

/** The server that background processes work with, if it is up. */
async function runningTarget(config: Config): Promise<Target | undefined> {
  const [{ homeFiles }, { isAlive }, { localTarget }] = await Promise.all([
    import('../temporal/home-files.ts'),
    import('../temporal/process-identity.ts'),
    import('../temporal/connection.ts'),
  ]);
  const files = homeFiles(config.home);
  const server = files.server.read();
  if (server?.ready && isAlive(server.process)) {
    return { address: `127.0.0.1:${server.port}`, namespace: 'default', connectionOptions: {}, source: 'embedded' };
  }
  const worker = files.worker.read();
  return worker !== undefined && isAlive(worker.process) ? localTarget() : undefined;
}

async function nameOpenRuns({ open, terminal }: Cli, target: Target): Promise<void> {
  try {
    const { client, close } = await open(target);
    const rows = await client.list({ status: 'running' }).finally(close);
    if (rows.length === 0) return;
    terminal.note(`${counted(rows.length, 'open run')}, to be gone on with after the next start:`);
    terminal.print(formatRows(rows, terminal.style));
  } catch (error) {
    // A server that does not answer must still be stopped.
    terminal.note(`The open runs are not known: ${error instanceof Error ? error.message : String(error)}`);
  }
}
