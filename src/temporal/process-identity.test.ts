import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { identityOf, isAlive, ownIdentity, stopProcess } from './process-identity.ts';

it('knows a process that runs', () => {
  expect(isAlive(ownIdentity())).toBe(true);
  expect(identityOf(process.pid)).toEqual(ownIdentity());
});

it('takes a process with the same id and another start for another one', () => {
  expect(isAlive({ pid: process.pid, started: 'earlier' })).toBe(false);
});

it('never signals a process that only has the id of the one it means', async () => {
  await stopProcess({ pid: process.pid, started: 'earlier' }, 0);
  expect(isAlive(ownIdentity())).toBe(true);
});

it('ends a process with SIGTERM', async () => {
  const child = spawn('sleep', ['60']);
  const ended = once(child, 'exit');
  const identity = identityOf(child.pid ?? 0);
  if (identity === undefined) throw new Error('sleep was not started');
  await stopProcess(identity, 5_000);
  expect(isAlive(identity)).toBe(false);
  expect(await ended).toEqual([null, 'SIGTERM']);
});

it('ends one that does not listen with SIGKILL', async () => {
  const child = spawn(process.execPath, [
    '-e',
    "process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6); console.log('up')",
  ]);
  await once(child.stdout, 'data');
  const ended = once(child, 'exit');
  const identity = identityOf(child.pid ?? 0);
  if (identity === undefined) throw new Error('the process was not started');
  await stopProcess(identity, 50);
  expect(await ended).toEqual([null, 'SIGKILL']);
});
