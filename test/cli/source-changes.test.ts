import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchSources } from '../../src/cli/source-changes.ts';

let root: string;
let file: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pawl-sources-'));
  mkdirSync(join(root, 'src', 'tools'), { recursive: true });
  for (const name of ['worker.ts', 'package-lock.json']) writeFileSync(join(root, name), '');
  file = join(root, 'src', 'tools', 'mine.ts');
  writeFileSync(file, 'one');
});
afterEach(() => rmSync(root, { recursive: true }));

it('strokes that follow each other are one change, each later one is another', async () => {
  const changed = vi.fn();
  const end = watchSources(root, changed);
  for (const text of ['two', 'three', 'four']) writeFileSync(file, text);
  await vi.waitUntil(() => changed.mock.calls.length > 0);
  expect(changed).toHaveBeenCalledTimes(1);
  writeFileSync(file, 'five');
  await vi.waitUntil(() => changed.mock.calls.length > 1);
  end();
});
