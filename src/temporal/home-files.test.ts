import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConfigError } from '../config.ts';
import { homeFiles } from './home-files.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-home-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('makes the home, and remembers what is written there', () => {
  const { lastUse } = homeFiles(join(folder, 'new', 'home'));
  expect(lastUse.read()).toBeUndefined();
  lastUse.write({ atMs: 7 });
  expect(lastUse.read()).toEqual({ atMs: 7 });
});

it('names the variable, the path and the reason where nothing can be written', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const home = join(file, 'home');
  expect(() => homeFiles(home)).toThrow(ConfigError);
  expect(() => homeFiles(home)).toThrow(
    `PAWL_HOME: ${JSON.stringify(home)}: a file stands in its way (ENOTDIR); allowed: a folder that can be written to`,
  );
});
