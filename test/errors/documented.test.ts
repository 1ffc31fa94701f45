import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { documentedRows } from './documented.ts';

it('every row of the page has its test, and every test its row', () => {
  const tests = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'));
  const sources = tests.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'));
  const tested = sources.flatMap((source) =>
    [...source.matchAll(/expectDocumented\(\s*'([^']+)'/g)].map(([, input]) => input),
  );
  expect([...new Set(tested)].sort()).toEqual([...documentedRows().keys()].sort());
});
