// Composition root of the worker process. Runs by itself against any Temporal server; stops on SIGTERM and SIGINT.

import {
  DefaultLogger,
  type Logger,
  makeTelemetryFilterString,
  type NativeConnection,
  Runtime,
} from '@temporalio/worker';
import { EXIT, type ExitCode } from './src/cli/exit-codes.ts';
import { type Config, ConfigError, readConfig } from './src/config.ts';
import { createWorker, type PawlWorker } from './src/create-worker.ts';
import { adaptersOf } from './src/providers.ts';
import { findTarget } from './src/temporal/background.ts';
import { announceReady } from './src/temporal/background-worker.ts';
import { CliMissing } from './src/temporal/cli.ts';
import { connectWorker, ServerUnreachable, type Target } from './src/temporal/connection.ts';
import { dataConverterFor } from './src/temporal/data-converter.ts';
import { ServerNotStarted } from './src/temporal/dev-server.ts';
import { homeFiles } from './src/temporal/home-files.ts';
import { stopIdleServer, watchIdle } from './src/temporal/idle.ts';
import { workflowBundle } from './src/temporal/workflow-bundle.ts';
import { DefinitionError } from './src/tools/definition-error.ts';

const LEVELS = { debug: 'DEBUG', info: 'INFO', warn: 'WARN', error: 'ERROR' } as const;

/**
 * Signals are handled here, so that the background worker can first say that it takes no more work. The runtime keeps
 * the process alive until the last connection is closed.
 */
function installRuntime(logger: Logger, { logLevel }: Config): Logger {
  const filter = makeTelemetryFilterString({ core: LEVELS[logLevel], other: 'WARN' });
  const telemetryOptions = { logging: { forward: {}, filter } };
  return Runtime.install({ logger, telemetryOptions, shutdownSignals: [] }).logger;
}

async function main(config: Config): Promise<void> {
  const early = new DefaultLogger(LEVELS[config.logLevel]);
  const files = homeFiles(config.home);
  const [{ agents }, target, bundle] = await Promise.all([
    import('./src/agents/index.ts'), // here, so that a fault in a definition is told like every other one
    findTarget(config, (line) => early.info(line)),
    workflowBundle(files.bundles),
  ]);
  const served = agents(config);
  const logger = installRuntime(early, config);
  const connection = await connectWorker(target);
  try {
    const dataConverter = dataConverterFor(config, target);
    const worker = await createWorker({
      agents: served,
      adapters: adaptersOf(config),
      connection,
      namespace: target.namespace,
      taskQueue: config.taskQueue,
      dataConverter,
      storage: dataConverter !== undefined,
      workflowBundle: bundle,
      leasesDir: files.leases,
    });
    await serve({ config, target, connection, worker, logger });
  } finally {
    await connection.close(); // an open connection keeps the process alive, also one that has nothing to do
  }
}

interface Serving {
  readonly config: Config;
  readonly target: Target;
  readonly connection: NativeConnection;
  readonly worker: PawlWorker;
  readonly logger: Logger;
}

/** Runs the worker until a signal, or in the background until nobody needs it. */
async function serve(serving: Serving): Promise<void> {
  const { config, target, worker, logger } = serving;
  const running = worker.run();
  let takeBack = () => {};
  const stop = () => {
    takeBack();
    worker.shutdown();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  const { address, namespace } = target;
  logger.info('the worker is up', { address, namespace, taskQueue: config.taskQueue, model: config.model });
  if (!config.background) return running;
  takeBack = announceReady(config);
  const endWatch = watchIdle(serving, stop, (error) => logger.warn('cannot tell whether anybody needs me', { error }));
  await running;
  endWatch();
  await stopIdleServer(serving);
}

try {
  await main(readConfig(process.env, import.meta.dirname));
} catch (error) {
  process.exitCode = exitCodeFor(error);
  // What the user can mend says all that helps in its message; a stack would hide it.
  console.error(process.exitCode === EXIT.bug ? error : (error as Error).message);
}

function exitCodeFor(error: unknown): ExitCode {
  if (error instanceof ConfigError || error instanceof DefinitionError) return EXIT.usage;
  const isUnavailable = [CliMissing, ServerNotStarted, ServerUnreachable].some((kind) => error instanceof kind);
  if (isUnavailable) return EXIT.unavailable;
  return EXIT.bug;
}
