import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hashOf } from './sources-hash.ts';

let root: string;
const write = (name: string, text: string) => writeFileSync(join(root, name), text);
const hash = () => hashOf(root, ['src', 'worker.ts']);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pawl-hash-'));
  mkdirSync(join(root, 'src', 'deep'), { recursive: true });
  write('src/deep/a.ts', 'a');
  write('worker.ts', 'w');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('is the same for the same sources', () => {
  const before = hash();
  write('src/deep/a.ts', 'a');
  expect(hash()).toBe(before);
});

it.each([
  ['a changed file', () => write('src/deep/a.ts', 'b')],
  ['a new file', () => write('src/deep/b.ts', '')],
  ['a renamed file', () => renameSync(join(root, 'src/deep/a.ts'), join(root, 'src/deep/c.ts'))],
  ['a changed single file', () => write('worker.ts', 'x')],
])('differs after %s', (_, change) => {
  const before = hash();
  change();
  expect(hash()).not.toBe(before);
});

it.each([
  ['a test', () => write('src/deep/a.test.ts', 'test')],
  ['a file that is no source', () => write('src/deep/notes.txt', 'note')],
])('does not care about %s', (_, change) => {
  const before = hash();
  change();
  expect(hash()).toBe(before);
});
