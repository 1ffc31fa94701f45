import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseSequence, type RecordedCall } from '../testing/sequence.ts';
import { openSequenceFile } from './sequence-file.ts';
import { UsageError } from './usage-error.ts';

const CALL: RecordedCall = { asked: { model: 'm', messages: 0, last: null }, events: [] };

test('calls are in the file as soon as they are written, and what was in it before is not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-sequence-'));
  const path = join(folder, 'calls.jsonl');
  writeFileSync(path, 'something older');
  const file = openSequenceFile(path);
  file.write(CALL);
  file.write(CALL);
  expect(parseSequence(readFileSync(path, 'utf8'))).toEqual([CALL, CALL]);
  expect(file.calls).toBe(2);
  file.close();
  rmSync(folder, { recursive: true });
});

test('a full disk fails no model call, and is told in the end', () => {
  const file = openSequenceFile('/dev/full');
  file.write(CALL);
  expect(file.calls).toBe(0);
  expect(() => file.close()).toThrow(UsageError);
});
