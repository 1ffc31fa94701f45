import { describe, expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const NOW = Date.UTC(2026, 0, 1, 12, 0, 0);

function wait(headers: Record<string, string>): number | undefined {
  return retryAfterMs(new Headers(headers), NOW);
}

describe('retryAfterMs', () => {
  it.each([
    ['seconds', { 'retry-after': '2' }, 2_000],
    ['fractions of seconds', { 'retry-after': '0.25' }, 250],
    ['milliseconds', { 'retry-after-ms': '1500' }, 1_500],
    ['milliseconds before seconds', { 'retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
    ['seconds where the milliseconds are no number', { 'retry-after-ms': 'soon', 'retry-after': '9' }, 9_000],
    ['an HTTP date', { 'retry-after': 'Thu, 01 Jan 2026 12:00:30 GMT' }, 30_000],
    [
      'a date by the clock of the provider',
      { date: 'Thu, 01 Jan 2026 13:00:00 GMT', 'retry-after': 'Thu, 01 Jan 2026 13:00:02 GMT' },
      2_000,
    ],
    ['a date in the past as no wait', { 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }, 0],
    ['a negative number as no wait', { 'retry-after': '-3' }, 0],
    ['at most five minutes', { 'retry-after': '86400' }, 300_000],
  ])('reads %s', (_, headers, expected) => {
    expect(wait(headers)).toBe(expected);
  });

  it.each([
    ['no header', {}],
    ['an empty header', { 'retry-after': ' ' }],
    ['words', { 'retry-after': 'later' }],
    ['infinity', { 'retry-after': 'Infinity' }],
  ])('knows no wait from %s', (_, headers) => {
    expect(wait(headers)).toBeUndefined();
  });
});
