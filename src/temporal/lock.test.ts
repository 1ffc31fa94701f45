import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withLock } from './lock.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-lock-'));
  path = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('lets one in at a time, and leaves nothing behind', async () => {
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside--;
  };
  await Promise.all(Array.from({ length: 5 }, () => withLock(path, work)));
  expect(most).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

it('is free again after work that fails', async () => {
  await expect(withLock(path, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await withLock(path, async () => 'in')).toBe('in');
});

it('is taken from a holder that died, also where its process id lives on', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  for (const holder of [
    { pid, started: 'then' },
    { pid: process.pid, started: 'then' },
  ]) {
    writeFileSync(path, JSON.stringify(holder));
    expect(await withLock(path, async () => 'in')).toBe('in');
  }
});
