import { expect, test } from 'vitest';
import { STATUSES } from '../protocol/run.ts';
import { exitCodeOf } from './exit-codes.ts';

test('each status has the exit code that the documentation promises', () => {
  expect(Object.fromEntries(STATUSES.map((status) => [status, exitCodeOf(status)]))).toEqual({
    completed: 0,
    limit_reached: 3,
    refused: 4,
    truncated: 4,
    cancelled: 6,
    failed: 4,
  });
});
