import { expect, test } from 'vitest';
import { sumsIn } from './demo-sums.ts';

test.each([
  ['What is 19 + 23?', [[19, 23]]],
  ['what is 2.5 plus 3', [[2.5, 3]]],
  ['-4 + -6.5 = ?', [[-4, -6.5]]],
  ['Please add 1,000 and 12.', [[1000, 12]]],
  ['add 1, 2 and 3', [[1, 2, 3]]],
  ['the sum of minus 3 and 10?', [[-3, 10]]],
  ['How much is 10 minus 4?', [[10, -4]]],
  ['7 - 2 + 1', [[7, -2, 1]]],
  [
    '1 + 1, then 2+2',
    [
      [1, 1],
      [2, 2],
    ],
  ],
  ['1 + 2 + 3.5 + 4', [[1, 2, 3.5, 4]]],
  ['on 2026-11-29 at 10', []],
  ['7 times 6', []],
  ['10 and 12', []],
  ['v1.2 + 3rd', []],
])('%s', (question, sums) => {
  expect(sumsIn(question).map(({ numbers }) => numbers)).toEqual(sums);
});
