import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isNewEnough, neededInstall, withLock } from './setup.mjs';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pawl-setup-'));
  writeFileSync(join(root, 'package-lock.json'), '{}');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('neededInstall', () => {
  const installedAt = (seconds: number, ...packages: string[]) => {
    for (const name of packages) mkdirSync(join(root, 'node_modules', name), { recursive: true });
    mkdirSync(join(root, 'node_modules'), { recursive: true });
    writeFileSync(join(root, 'node_modules', '.package-lock.json'), '{}');
    utimesSync(join(root, 'package-lock.json'), 1_000, 1_000);
    utimesSync(join(root, 'node_modules', '.package-lock.json'), seconds, seconds);
  };

  it('is what a run needs, or all of it, where node_modules is missing', () => {
    expect(neededInstall(root, 'run')).toEqual(['ci', '--omit=dev']);
    expect(neededInstall(root, 'develop')).toEqual(['ci', '--include=dev']);
  });

  it('is a whole one where an install was interrupted, which leaves no hidden lockfile', () => {
    mkdirSync(join(root, 'node_modules'));
    expect(neededInstall(root, 'run')).toEqual(['ci', '--omit=dev']);
  });

  it('is a new one where the lockfile is newer, with the tools of development where they were there', () => {
    installedAt(999);
    expect(neededInstall(root, 'run')).toEqual(['ci', '--omit=dev']);
    mkdirSync(join(root, 'node_modules', 'vitest'));
    expect(neededInstall(root, 'run')).toEqual(['ci', '--include=dev']);
  });

  it('is nothing where the install is newer than the lockfile', () => {
    installedAt(1_001, 'vitest');
    expect(neededInstall(root, 'run')).toBeUndefined();
    expect(neededInstall(root, 'develop')).toBeUndefined();
  });

  it('adds the tools of development where only a run was set up, and takes nothing away', () => {
    installedAt(1_001);
    expect(neededInstall(root, 'run')).toBeUndefined();
    expect(neededInstall(root, 'develop')).toEqual(['install', '--no-save', '--include=dev']);
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
