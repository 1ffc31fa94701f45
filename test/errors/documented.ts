// The rows of docs/errors.md. The tests take what they expect from there, so that the page cannot rot.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Finished } from '../cli/pawl.ts';
import { ROOT } from '../support/environment.ts';

/** One row. */
interface Row {
  readonly exit: number;
  readonly line: string;
}

/** All rows, by their first column. */
export function documentedRows(): ReadonlyMap<string, Row> {
  const page = readFileSync(join(ROOT, 'docs', 'errors.md'), 'utf8');
  const cells = [...page.matchAll(/^\| (.+?) \| (\d) \| (`+)(.+?)\3 \| .+ \|$/gm)];
  return new Map(cells.map(([, input = '', exit, , line = '']) => [input, { exit: Number(exit), line }]));
}

/** Fails unless a command ended as the page says for this input. */
export function expectDocumented(input: string, finished: Finished): void {
  const row = documentedRows().get(input);
  if (row === undefined) throw new Error(`docs/errors.md has no row ${input}`);
  const { code, stdout, stderr } = finished;
  const told = `${stdout}\n${stderr}`;
  expect(told).not.toContain('This is a fault of Pawl');
  expect(code, told).toBe(row.exit);
  const line = new RegExp(
    `^${row.line
      .split(/<[a-z]+>/)
      .map(escaped)
      .join('.+')}$`,
  );
  const isRun = [0, 3, 4].includes(row.exit);
  const candidates = isRun ? stdout.split('\n') : stderr.split('\n').filter((text) => !text.startsWith('Temporal: '));
  expect(isRun ? candidates : candidates.slice(0, 1)).toContainEqual(expect.stringMatching(line));
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
