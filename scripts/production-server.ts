// Runs what docker-compose.yml runs, without containers: its schema job, server and namespace job with their own commands
// and variables, on a PostgreSQL in a folder of its own; then the loop's tests against that server.
//
//   PAWL_TEMPORAL_SERVER_BIN   folder with Temporal's `server` and `sql`; without it both are built, which needs Go, 4 GB and
//                              half an hour
//
// It needs PostgreSQL's programs (on Debian: apt-get install postgresql) and the temporal CLI, and ends what it has started.

import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig } from '../src/config.ts';
import { findCli } from '../src/temporal/cli.ts';
import { isFree } from '../src/temporal/ports.ts';
import { composeText, parseCompose, type Service, serviceOf } from '../test/production/compose-file.ts';
import { isolatedEnvironment, ROOT } from '../test/support/environment.ts';
import { Machine } from './production-machine.ts';

const HOME = join(ROOT, '.pawl');
/** Docker waits this long before it starts a container again, and each time twice as long. */
const RESTART_MS = 100;
/** Temporal keeps the ports of its parts in a column that ends at 32767, below those that the system gives out. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;

const compose = parseCompose(composeText());
const server = serviceOf(compose, 'temporal');

/** Where the services meet on this machine. All else of their environments is the compose file's. */
interface Ports {
  readonly database: number;
  readonly temporal: number;
  /** For the server's parts among each other. */
  readonly inner: readonly number[];
}

async function main(machine: Machine): Promise<number> {
  const [database = 0, temporal = 0, ...inner] = await smallPorts(10);
  const ports: Ports = { database, temporal, inner };
  machine.say('PostgreSQL', await machine.startPostgres(database, databaseUser()));
  await machine.listens(database);

  // Twice: a job that has done its work must be able to run again, as with each `docker compose up`.
  const sql = { SQL_HOST: '127.0.0.1', SQL_PORT: String(database) };
  for (const _ of ['first', 'again']) await runJob(machine, 'schema', sql);

  machine.say('the server', 'temporal-server start');
  const environment = { ...server.environment, ...serverOverrides(ports) };
  const limits = ['validate-dynamic-config', environment.DYNAMIC_CONFIG_FILE_PATH];
  if ((await machine.run('temporal-server', limits, {})) !== 0)
    throw new Error('the dynamic configuration is not valid');
  machine.start('temporal-server', ['start'], environment);
  await machine.listens(temporal);

  const address = `127.0.0.1:${temporal}`;
  for (const _ of ['first', 'again']) await runJob(machine, 'namespace', { TEMPORAL_ADDRESS: address });

  machine.say('the loop', `tests of test/loop on ${address}`);
  const tests = ['vitest', 'run', '--project', 'integration', 'test/loop'];
  return machine.run('npx', tests, isolatedEnvironment({ PAWL_TEST_ADDRESS: address }));
}

async function smallPorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

function databaseUser(): { user: string; password: string } {
  const { POSTGRES_USER: user = '', POSTGRES_PASSWORD: password = '' } =
    serviceOf(compose, 'postgres').environment ?? {};
  return { user, password };
}

/** A container has an address of its own; here the parts need ports that are free on loopback. */
function serverOverrides({ database, temporal, inner }: Ports) {
  const parts = ['FRONTEND_HTTP', 'FRONTEND_MEMBERSHIP', 'MATCHING_GRPC', 'MATCHING_MEMBERSHIP', 'HISTORY_GRPC'];
  const all = [...parts, 'HISTORY_MEMBERSHIP', 'WORKER_GRPC', 'WORKER_MEMBERSHIP'];
  return {
    POSTGRES_SEEDS: '127.0.0.1',
    DB_PORT: String(database),
    BIND_ON_IP: '127.0.0.1',
    FRONTEND_GRPC_PORT: String(temporal),
    ...Object.fromEntries(all.map((part, index) => [`${part}_PORT`, String(inner[index])])),
    DYNAMIC_CONFIG_FILE_PATH: hostPath(server, server.environment?.['DYNAMIC_CONFIG_FILE_PATH'] ?? ''),
  };
}

/** Runs a job as Compose does: again after a failure, as often as the file says. */
async function runJob(machine: Machine, name: string, overrides: Record<string, string>): Promise<void> {
  const service = serviceOf(compose, name);
  const [command = '', ...parameters] = (service.command ?? []).map((word) => hostPath(service, word));
  const attempts = 1 + Number(/^on-failure:(\d+)$/.exec(service.restart ?? '')?.[1] ?? 0);
  for (let attempt = 1; attempt <= attempts; attempt++) {
    machine.say(`the job ${name}`, `${command} ${parameters.join(' ')} (attempt ${attempt})`);
    if ((await machine.run(command, parameters, { ...service.environment, ...overrides })) === 0) return;
    await delay(RESTART_MS * 2 ** (attempt - 1));
  }
  throw new Error(`the job ${name} failed ${attempts} times`);
}

/** The path on this machine of what the service sees under a mounted path; any other word stays as it is. */
function hostPath({ volumes = [] }: Service, word: string): string {
  const mounted = volumes.map((volume) => volume.split(':')).find(([, target]) => target === word);
  return mounted?.[0] === undefined ? word : join(ROOT, mounted[0]);
}

const { PAWL_TEMPORAL_CLI, PAWL_DOWNLOAD, PAWL_TEMPORAL_SERVER_BIN } = process.env;
const settings = readConfig({ PAWL_TEMPORAL_CLI, PAWL_DOWNLOAD }, join(ROOT, 'test'));
const machine = new Machine({
  version: /:([^:]+)$/.exec(server.image ?? '')?.[1] ?? '',
  cli: await findCli({ ...settings, home: HOME }, console.error),
  binaries: PAWL_TEMPORAL_SERVER_BIN,
  buildFolder: join(HOME, 'temporal-server'),
});
try {
  process.exitCode = await main(machine);
} finally {
  await machine.stop();
}
