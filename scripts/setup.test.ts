import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isNewEnough, needsInstall, withLock } from './setup.mjs';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pawl-setup-'));
  writeFileSync(join(root, 'package-lock.json'), '{}');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('needsInstall', () => {
  const installedAt = (seconds: number) => {
    mkdirSync(join(root, 'node_modules'));
    writeFileSync(join(root, 'node_modules', '.package-lock.json'), '{}');
    utimesSync(join(root, 'package-lock.json'), 1_000, 1_000);
    utimesSync(join(root, 'node_modules', '.package-lock.json'), seconds, seconds);
  };

  it('installs where node_modules is missing', () => {
    expect(needsInstall(root)).toBe(true);
  });

  it('installs where an install was interrupted, which leaves no hidden lockfile', () => {
    mkdirSync(join(root, 'node_modules'));
    expect(needsInstall(root)).toBe(true);
  });

  it('installs where the lockfile is newer than what is installed', () => {
    installedAt(999);
    expect(needsInstall(root)).toBe(true);
  });

  it('has nothing to do where the install is newer than the lockfile', () => {
    installedAt(1_001);
    expect(needsInstall(root)).toBe(false);
  });
});

describe('isNewEnough', () => {
  it.each([
    ['20.19.0', true],
    ['20.18.3', false],
    ['18.20.0', false],
    ['24.1.0', true],
  ])('Node %s against >=20.19: %s', (version, expected) => {
    expect(isNewEnough(version, '>=20.19')).toBe(expected);
  });
});

describe('withLock', () => {
  it('lets the second wait until the first has ended', async () => {
    const order: string[] = [];
    const lock = join(root, '.pawl', 'setup.lock');
    const work = (name: string) => async () => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${name} ends`);
    };
    await Promise.all([withLock(lock, work('first')), withLock(lock, work('second'))]);
    expect(order).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
    expect(existsSync(lock)).toBe(false);
  });

  it('takes the lock of one that died', async () => {
    const dead = spawnSync(process.execPath, ['--version']).pid;
    const lock = join(root, 'setup.lock');
    writeFileSync(lock, String(dead));
    await expect(withLock(lock, async () => 'done')).resolves.toBe('done');
  });
});
