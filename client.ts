import { basename } from 'node:path';
import type { Cli, Connected, Needs } from './src/cli/cli.ts';
import { main } from './src/cli/main.ts';
import { createTerminal, endQuietlyOnBrokenPipe } from './src/cli/terminal.ts';
import type { Config } from './src/config.ts';
import type { Target } from './src/temporal/connection.ts';

const root = import.meta.dirname;
const terminal = createTerminal(process.stdout, process.stderr);
const note = (line: string): void => terminal.note(line);

const cli: Cli = {
  terminal,
  pawl: basename(process.argv[1] ?? '') === 'client.ts' ? 'npm run -s pawl --' : 'pawl',
  root,
  config,
  connect,
  open,
  onInterrupt,
};

endQuietlyOnBrokenPipe(process.stdout, process.exit);
process.exitCode = await main(process.argv.slice(2), cli);

// What takes time to load is loaded when a command asks for it: `--help` and a usage error answer at once.

async function config(): Promise<Config> {
  const { readConfig } = await import('./src/config.ts');
  return readConfig(process.env, root);
}

async function connect(needs: Needs): Promise<Connected> {
  const { findTarget } = await import('./src/temporal/background.ts');
  const settings = await config();
  const target = await findTarget(settings, note);
  if (needs === 'server_and_worker' && target.source !== 'configured') {
    const { ensureWorker } = await import('./src/temporal/background-worker.ts');
    await ensureWorker(settings, target, note);
  }
  return open(target);
}

async function open(target: Target): Promise<Connected> {
  const [{ Client }, { connectClient }, { dataConverterFor }, { AgentClient }] = await Promise.all([
    import('@temporalio/client'),
    import('./src/temporal/connection.ts'),
    import('./src/temporal/data-converter.ts'),
    import('./src/client/agent-client.ts'),
  ]);
  const settings = await config();
  const connection = await connectClient(target);
  const dataConverter = dataConverterFor(settings, target);
  const client = new Client({ connection, namespace: target.namespace, dataConverter });
  const agentClient = new AgentClient({ client, taskQueue: settings.taskQueue });
  return { client: agentClient, config: settings, target, close: () => connection.close() };
}

function onInterrupt(listener: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const release = (): void => {
    for (const signal of signals) process.off(signal, once);
  };
  const once = (): void => {
    release(); // a second Ctrl-C ends the process in the usual way
    listener();
  };
  for (const signal of signals) process.on(signal, once);
  return release;
}
