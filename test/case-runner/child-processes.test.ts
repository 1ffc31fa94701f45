import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { aliveAfter, killAll } from './child-processes.ts';

let child: ChildProcess | undefined;

async function startSleeper(): Promise<number> {
  child = spawn('sleep', ['600']);
  await once(child, 'spawn');
  return child.pid ?? 0;
}

afterEach(() => {
  child?.kill('SIGKILL');
});

it('counts the processes that are still alive when the time is up', async () => {
  expect(await aliveAfter([await startSleeper()], 0)).toBe(1);
});

it('answers as soon as none is alive', async () => {
  const pid = await startSleeper();
  const alive = aliveAfter([pid], 60_000);
  killAll([pid]);
  expect(await alive).toBe(0);
});

it('passes over processes that have ended already', async () => {
  const pid = await startSleeper();
  killAll([pid]);
  await once(child as ChildProcess, 'exit');
  killAll([pid]);
  expect(await aliveAfter([pid], 0)).toBe(0);
});
