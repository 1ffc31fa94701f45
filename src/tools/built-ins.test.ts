import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../protocol/messages.ts';
import { addNumbers } from './add-numbers.ts';
import { getTime } from './get-time.ts';
import { createRegistry, type Execution } from './registry.ts';
import type { Tool, ToolCall } from './tool.ts';
import { weatherInWords } from './weather-codes.ts';

function outcomeOf(tool: Tool, input: JsonObject): Promise<Execution> {
  // Neither tool looks at the call.
  return createRegistry([tool]).execute(tool.name, input, {} as ToolCall, 4_000);
}

async function resultOf(tool: Tool, input: JsonObject): Promise<unknown> {
  const { outcome, content } = await outcomeOf(tool, input);
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  return outcome === 'completed' ? JSON.parse(text) : text;
}

describe('get_time', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: new Date('2026-02-28T15:04:05.678Z') });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each([
    ['Asia/Seoul', { date: '2026-03-01', time: '00:04:05', weekday: 'Sunday', utcOffset: '+09:00' }],
    ['America/New_York', { date: '2026-02-28', time: '10:04:05', weekday: 'Saturday', utcOffset: '-05:00' }],
    ['Asia/Kathmandu', { date: '2026-02-28', time: '20:49:05', weekday: 'Saturday', utcOffset: '+05:45' }],
    ['UTC', { date: '2026-02-28', time: '15:04:05', weekday: 'Saturday', utcOffset: '+00:00' }],
  ])('%s', async (zone, expected) => {
    expect(await resultOf(getTime, { zone })).toEqual({ zone, ...expected });
  });

  test('a zone that does not exist is for the model, with a hint', async () => {
    const execution = await outcomeOf(getTime, { zone: 'Mars/Olympus' });
    expect(execution).toMatchObject({ outcome: 'failed', retryable: false });
    expect(JSON.stringify(execution.content)).toMatch(/not an IANA time zone\. Use one such as/);
  });

  test('daylight saving time is in the offset', async () => {
    vi.setSystemTime(new Date('2026-07-01T12:00:00Z'));
    expect(await resultOf(getTime, { zone: 'Europe/Berlin' })).toMatchObject({ time: '14:00:00', utcOffset: '+02:00' });
  });
});

describe('add_numbers', () => {
  test.each([
    [19, 23, 42],
    [0.1, 0.2, 0.3],
    [-2.5, 1, -1.5],
    [9007199254740990, 1, 9007199254740991],
    [1e300, 1e300, 2e300],
  ])('%d + %d', async (a, b, sum) => {
    expect(await resultOf(addNumbers, { a, b })).toEqual({ sum });
  });

  test('a sum that is no number any more is for the model', async () => {
    expect(await resultOf(addNumbers, { a: 1e308, b: 1e308 })).toBe('1e+308 + 1e+308 is too large for a number.');
  });
});

test('weather codes in words, also missing and new ones', () => {
  expect([0, 61, null, undefined, 12345].map(weatherInWords)).toEqual([
    'clear sky',
    'light rain',
    'unknown',
    'unknown',
    'weather code 12345',
  ]);
});
