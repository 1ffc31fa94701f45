import { expect, test } from 'vitest';
import { counted, duration, grouped, usd } from './numbers.ts';

test('digits stand in groups of three', () => {
  expect([0, 999, 4310, 1_234_567].map(grouped)).toEqual(['0', '999', '4 310', '1 234 567']);
});

test('money keeps the digits that mean something', () => {
  expect([0, 12, 1_200, 45_600, 500_000, 2_345_678].map(usd)).toEqual([
    '$0.00',
    '$0.000012',
    '$0.0012',
    '$0.0456',
    '$0.50',
    '$2.35',
  ]);
});

test('durations are told in two units at most', () => {
  expect([0, 45, 999, 1_250, 59_990, 125_000, 3_780_000].map(duration)).toEqual([
    '0 ms',
    '45 ms',
    '999 ms',
    '1.2 s',
    '59.9 s',
    '2 min 5 s',
    '1 h 3 min',
  ]);
});

test('one is singular', () => {
  expect([counted(1, 'turn'), counted(0, 'turn'), counted(1200, 'token')]).toEqual([
    '1 turn',
    '0 turns',
    '1 200 tokens',
  ]);
});
