// No server, another one than was meant, or one that goes away: said within a bound of time, and nothing is lost.

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freePorts } from '../../src/temporal/ports.ts';
import { pawl } from '../cli/pawl.ts';
import { isolatedEnvironment } from '../support/environment.ts';
import { testTemporal } from '../support/server.ts';
import { expectDocumented } from './documented.ts';
import { newHome } from './project.ts';

const QUESTION = 'What is 19 + 23?';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-server-errors-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const at = (address: string, own: Record<string, string> = {}) =>
  isolatedEnvironment({ TEMPORAL_ADDRESS: address, PAWL_HOME: join(folder, 'home'), ...own });

/** Takes a port of loopback: any free one, unless one is named. It accepts, and never says a word. */
async function silentListener(port = 0): Promise<{ port: number; stop(): void }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => sockets.add(socket.on('error', () => socket.destroy())));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: address.port, stop };
}

it('an unreachable server', async () => {
  const [port] = await freePorts(1);
  for (const args of [['run', 'Hi'], ['list'], ['worker']]) {
    expectDocumented('an unreachable server', await pawl(at(`127.0.0.1:${port}`), ...args));
  }
});

it('a server that accepts and never answers', async () => {
  const { port, stop } = await silentListener();
  for (const args of [['run', 'Hi'], ['worker']]) {
    expectDocumented('a server that accepts and never answers', await pawl(at(`127.0.0.1:${port}`), ...args));
  }
  stop();
});

it('a namespace that does not exist', async () => {
  const env = at(testTemporal().address, { TEMPORAL_NAMESPACE: 'nowhere' });
  for (const args of [['run', 'Hi'], ['list'], ['show', 'some-run'], ['send', 'some-run', 'Hi']]) {
    expectDocumented('a namespace that does not exist', await pawl(env, ...args));
  }
  expectDocumented('a worker for a namespace that does not exist', await pawl(env, 'worker'));
});

it('no worker', async () => {
  const env = at(testTemporal().address, { PAWL_TASK_QUEUE: `nobody-${randomUUID()}` });
  expectDocumented('no worker', await pawl(env, 'run', 'Hi'));
});

describe('the embedded server', () => {
  let home: string;
  let env: NodeJS.ProcessEnv;
  beforeEach(() => {
    home = join(folder, randomUUID());
    mkdirSync(home);
    env = isolatedEnvironment({ PAWL_HOME: home, PAWL_TEMPORAL_CLI: testTemporal().temporalCli });
  });

  it('whose kept port is taken moves to another one, with all its runs', async () => {
    newHome(home);
    const id = randomUUID();
    expect((await pawl(env, 'run', '--id', id, QUESTION)).code).toBe(0);
    const kept = portOf(home);
    expect((await pawl(env, 'down')).code).toBe(0);
    const { stop } = await silentListener(kept);
    try {
      expectDocumented('a kept port that is taken', await pawl(env, 'run', QUESTION));
      expect(portOf(home)).not.toBe(kept);
      expect((await pawl(env, 'show', id)).stdout).toContain('19 + 23 = 42.');
    } finally {
      stop();
      expect((await pawl(env, 'down')).code).toBe(0);
    }
  });

  describe('on a disk of its own', () => {
    // Lazy: a process that is just ending may still hold a file there.
    afterEach(() => execFileSync('umount', ['--lazy', home]));

    it('says that the disk is full when it starts', async () => {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', home]);
      expectDocumented('a full disk at the start', await pawl(env, 'run', 'Hi'));
    });

    it('has lost nothing when there is space again', async () => {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'none', home]);
      newHome(home);
      const id = randomUUID();
      try {
        expect((await pawl(env, 'run', '--chat', '--id', id, QUESTION)).code).toBe(0);
        expect(() => writeFileSync(join(home, 'ballast'), Buffer.alloc(64e6))).toThrow('ENOSPC');
        expectDocumented('a full disk under a server that runs', await pawl(env, 'send', id, 'And what is 1 + 1?'));
        rmSync(join(home, 'ballast'));
        expect((await pawl(env, 'send', id, 'And what is 2 + 2?')).stdout).toContain('2 + 2 = 4.');
        expect((await pawl(env, 'show', id)).stdout).toContain('19 + 23 = 42.');
      } finally {
        rmSync(join(home, 'ballast'), { force: true });
        expect((await pawl(env, 'down')).code).toBe(0);
      }
    });
  });
});

function portOf(home: string): number {
  const { port }: { port: number } = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8'));
  return port;
}
