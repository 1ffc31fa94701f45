import type { Config } from '../config.ts';
import { findCli } from './cli.ts';
import type { Target } from './connection.ts';
import { startDevServer } from './dev-server.ts';
import { type HomeFiles, homeFiles, type ServerRecord } from './home-files.ts';
import { withLock } from './lock.ts';
import { freePorts, isFree, isListening } from './ports.ts';
import { identityOf, isAlive, stopProcess } from './process-identity.ts';

/** The server writes its database on SIGTERM; it takes a bit over a second. */
const SERVER_GRACE_MS = 10_000;
const PROBE_TIMEOUT_MS = 500;

/** What the embedded server needs of the configuration. */
export type ServerConfig = Pick<Config, 'home' | 'temporalCli' | 'download'>;

/**
 * Pawl's own server: finds the running one, or starts it on the database of the last one.
 * Of commands that ask at the same time one starts it. Throws CliMissing, or with the end of the server's log.
 */
export async function ensureServer(config: ServerConfig, announce: (line: string) => void): Promise<Target> {
  const files = homeFiles(config.home);
  files.lastUse.write({ atMs: Date.now() });
  const record = (await running(files)) ?? (await withLock(files.serverLock, () => start(config, files, announce)));
  return {
    address: `127.0.0.1:${record.port}`,
    namespace: 'default',
    connectionOptions: {},
    uiUrl: `http://127.0.0.1:${record.uiPort}`,
    source: 'embedded',
  };
}

/** Stops the embedded server if `isWanted` still says so once no command can be starting it. Tells whether one ran. */
export function stopServer({ home }: Pick<Config, 'home'>, isWanted: () => Promise<boolean>): Promise<boolean> {
  const files = homeFiles(home);
  return withLock(files.serverLock, async () => {
    const record = files.server.read();
    if (record === undefined || !isAlive(record.process) || !(await isWanted())) return false;
    await stopProcess(record.process, SERVER_GRACE_MS);
    return true;
  });
}

async function running(files: HomeFiles): Promise<ServerRecord | undefined> {
  const record = files.server.read();
  if (!record?.ready || !isAlive(record.process)) return undefined;
  return (await isListening(record.port, PROBE_TIMEOUT_MS)) ? record : undefined;
}

async function start(config: ServerConfig, files: HomeFiles, announce: (line: string) => void): Promise<ServerRecord> {
  const found = await running(files); // the one who held the lock before us may have started it
  if (found !== undefined) return found;
  const old = files.server.read();
  if (old !== undefined) await stopProcess(old.process, SERVER_GRACE_MS); // alive but deaf: two must never share a database
  const cli = await findCli(config, announce);
  const { port, uiPort } = await portsLike(old);
  const server = startDevServer({ cli, port, uiPort, databaseFile: files.database, logFile: files.serverLog });
  const process = identityOf(server.pid) ?? { pid: server.pid, started: 'ended at once' };
  // Written before it is ready: if this command is killed now, the next one knows whom to stop.
  files.server.write({ process, port, uiPort, ready: false });
  await server.ready();
  const record = { process, port, uiPort, ready: true };
  files.server.write(record);
  return record;
}

/** The ports of the last server where they are free: links and workers go on working. */
async function portsLike(old: ServerRecord | undefined): Promise<{ port: number; uiPort: number }> {
  if (old !== undefined && (await isFree(old.port)) && (await isFree(old.uiPort))) return old;
  const [port, uiPort] = await freePorts(2);
  if (port === undefined || uiPort === undefined) throw new Error('no free ports on 127.0.0.1');
  return { port, uiPort };
}
