import type { Config } from '../config.ts';
import { ensureServer, stopServer } from './background-server.ts';
import { stopWorker } from './background-worker.ts';
import { configuredTarget, localTarget, type Target } from './connection.ts';

/**
 * Where Temporal is: as configured, else a dev server on the usual port, else Pawl's own, which is started where it
 * does not run. `announce` gets a line for each download. Throws ConfigError, CliMissing, or with the server's log.
 */
export async function findTarget(config: Config, announce: (line: string) => void): Promise<Target> {
  return configuredTarget(config) ?? (await localTarget()) ?? (await ensureServer(config, announce));
}

/** Stops the background worker and the embedded server, in this order. Tells what ran. */
export async function down(config: Pick<Config, 'home'>): Promise<{ worker: boolean; server: boolean }> {
  const worker = await stopWorker(config);
  const server = await stopServer(config, () => Promise.resolve(true));
  return { worker, server };
}
