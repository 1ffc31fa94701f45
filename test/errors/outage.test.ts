// A server that goes away while a run is followed: waited out, or given up after a bound.

import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DevServer, startDevServer } from '../../src/temporal/dev-server.ts';
import { freePorts } from '../../src/temporal/ports.ts';
import { identityOf, stopProcess } from '../../src/temporal/process-identity.ts';
import { pawl, type Running, startPawl } from '../cli/pawl.ts';
import { isolatedEnvironment } from '../support/environment.ts';
import { testTemporal } from '../support/server.ts';
import { expectDocumented } from './documented.ts';
import { newHome } from './project.ts';

const QUESTION = 'What is 19 + 23?';

describe('a server that is killed while a run is followed', () => {
  const OUTAGE_TIMEOUT_MS = 240_000;
  let home: string;
  let server: DevServer;
  let worker: Running;
  let start: () => Promise<void>;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    home = newHome();
    const [port = 0, uiPort = 0] = await freePorts(2);
    const files = { databaseFile: join(home, 'temporal.db'), logFile: join(home, 'server.log') };
    start = async () => {
      server = startDevServer({ cli: testTemporal().temporalCli, port, uiPort, ...files });
      await server.ready();
    };
    await start();
    env = isolatedEnvironment({ TEMPORAL_ADDRESS: server.address, PAWL_HOME: home });
    worker = startPawl(env, 'worker');
    await worker.saw('the worker is up');
  });
  afterAll(async () => {
    worker.child.kill('SIGTERM');
    await worker.finished;
    const left = identityOf(server.pid); // where a test failed before it killed the server
    if (left !== undefined) await stopProcess(left, 1_000);
    rmSync(home, { recursive: true });
  });

  it('is waited for, and the run goes on', async () => {
    const id = randomUUID();
    expect((await pawl(env, 'run', '--chat', '--id', id, QUESTION)).code).toBe(0);
    const follower = startPawl(env, 'attach', id);
    await follower.saw('Turn 1 completed');
    process.kill(server.pid, 'SIGKILL');
    await start();
    expect((await pawl(env, 'send', id, 'And what is 1 + 1?')).code).toBe(0);
    expect((await pawl(env, 'close', id)).code).toBe(0);
    expectDocumented('a server killed and started again', await follower.finished);
  });

  it(
    'is given up after two minutes, without a busy loop',
    async () => {
      const id = randomUUID();
      expect((await pawl(env, 'run', '--chat', '--id', id, QUESTION)).code).toBe(0);
      const follower = startPawl(env, 'attach', id);
      await follower.saw('Turn 1 completed');
      const before = cpuSeconds(follower.child.pid);
      process.kill(server.pid, 'SIGKILL');
      let after = before;
      const look = setInterval(() => {
        after = cpuSeconds(follower.child.pid) ?? after;
      }, 1_000);
      const ended = await follower.finished;
      clearInterval(look);
      expectDocumented('a server that stays away', ended);
      expect((after ?? 0) - (before ?? 0)).toBeLessThan(MAX_CPU_SECONDS);
    },
    OUTAGE_TIMEOUT_MS,
  );
});

/** A process that spins uses all of the 120 seconds; asking every two seconds takes a few. */
const MAX_CPU_SECONDS = 30;

/** What a process has used of a processor; undefined where it has ended. */
function cpuSeconds(pid: number | undefined): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return undefined; // it ended between two looks
  }
}
