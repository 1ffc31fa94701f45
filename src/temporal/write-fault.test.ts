import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeFault } from './write-fault.ts';

it('names what the owner of a place can mend', () => {
  expect(writeFault(Object.assign(new Error('x'), { code: 'ENOSPC' }))).toBe('no space is left on its disk (ENOSPC)');
  expect(writeFault(thrownBy(() => mkdirSync(join(import.meta.filename, 'below'))))).toBe(
    'a file stands in its way (ENOTDIR)',
  );
});

it('leaves every other error alone', () => {
  expect(writeFault(new Error('x'))).toBeUndefined();
  expect(writeFault(Object.assign(new Error('x'), { code: 'toString' }))).toBeUndefined();
  expect(writeFault('ENOSPC')).toBeUndefined();
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
