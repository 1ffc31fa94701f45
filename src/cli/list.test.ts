import { expect, test } from 'vitest';
import { NO_USAGE } from '../protocol/run.ts';
import { formatRows } from './list.ts';
import { openRun } from './show.ts';
import { PLAIN } from './style.ts';

test('runs stand in columns, with the beginning of what they answered', () => {
  const result = {
    status: 'completed',
    text: `Noon.\n${'x'.repeat(200)}\u001b[2J`,
    iterations: 1,
    usage: NO_USAGE,
    costUsdMicros: null,
    lastState: { text: '', lastCalls: [] },
    turns: 1,
    transcript: { length: 2, digest: '' },
  } as const;
  const startedAt = '2026-11-29T12:00:00.000Z';
  const rows = [
    { run: 'a', state: 'completed', status: 'completed', startedAt, result },
    { run: 'longer', state: 'running', status: 'running', startedAt },
  ] as const;
  expect(formatRows(rows, { ...PLAIN, columns: 60 }).split('\n')).toEqual([
    'a       completed  2026-11-29 12:00:00  Noon. xxxxxxxxxxxxx…',
    'longer  running    2026-11-29 12:00:00',
  ]);
});

test('an open run is shown with what it is doing, and why that is tried again', () => {
  const summary = {
    run: 'a',
    runId: 'r',
    state: 'running',
    status: 'running',
    agent: 'demo',
    model: 'demo/demo',
    turn: 1,
    iteration: 2,
    link: 1,
    usage: NO_USAGE,
    costUsdMicros: null,
    startedAt: '2026-11-29T12:00:00.000Z',
    pending: [{ id: 'c', name: 'get_weather', attempt: 2, lastFailure: 'HTTP 503\nbusy' }],
  } as const;
  expect(openRun(summary, PLAIN)).toBe(
    'Now running, turn 1, iteration 2\n  … get_weather is running, attempt 2; before it: HTTP 503 busy',
  );
});
