import { expect, test } from 'vitest';
import type { RunEvent } from '../protocol/events.ts';
import { NO_USAGE } from '../protocol/run.ts';
import { inReadingOrder } from './reading-order.ts';

const at = { cursor: '1.5.30', at: '2026-11-29T12:00:00.000Z', run: 'run-1', turn: 1 };
const iteration: RunEvent = { ...at, type: 'iteration_started', iteration: 1 };
const usage: RunEvent = {
  ...at,
  type: 'usage',
  usage: { turn: NO_USAGE, total: NO_USAGE },
  costUsdMicros: { turn: null, total: null },
};
const finished: RunEvent = { ...at, type: 'turn_finished', status: 'completed', iterations: 1, queued: 0 };

test('the answer is read once, and the usage below it', async () => {
  const read = await order([iteration, text('Noon.'), usage, final('Noon.'), finished]);
  expect(read).toEqual([iteration, final('Noon.'), usage, finished]);
});

test('a text that is not the answer is kept before it', async () => {
  const read = await order([text('Let me see.'), iteration, text('Half an ans'), usage, final('Stopped.'), finished]);
  expect(read).toEqual([text('Let me see.'), iteration, text('Half an ans'), final('Stopped.'), usage, finished]);
});

test('nothing is lost where the events end without an answer', async () => {
  expect(await order([text('a'), text('b'), usage])).toEqual([text('a'), text('b'), usage]);
  expect(await order([text('a'), usage, finished])).toEqual([text('a'), usage, finished]);
});

test('the words about a run that was ended from outside are read, and a cut answer is not read again', async () => {
  const ended = runFinished('The run was terminated by ops.');
  expect(await order([final('Noon.'), ended])).toEqual([
    final('Noon.'),
    final('The run was terminated by ops.'),
    ended,
  ]);
  const cut = runFinished('A long ans…');
  expect(await order([final('A long answer.'), cut])).toEqual([final('A long answer.'), cut]);
});

function text(words: string): RunEvent {
  return { ...at, type: 'assistant_text', text: words };
}

function final(words: string): RunEvent {
  return { ...at, type: 'final_text', text: words };
}

function runFinished(words: string): RunEvent {
  const result = { status: 'cancelled', text: words, iterations: 1, usage: NO_USAGE, costUsdMicros: null } as const;
  const lastState = { text: '', lastCalls: [] };
  return {
    ...at,
    type: 'run_finished',
    result: { ...result, lastState, turns: 1, transcript: { length: 0, digest: '' } },
  };
}

async function order(events: readonly RunEvent[]): Promise<readonly RunEvent[]> {
  const read: RunEvent[] = [];
  for await (const event of inReadingOrder(stream(events))) read.push(event);
  return read;
}

async function* stream(events: readonly RunEvent[]): AsyncGenerator<RunEvent> {
  yield* events;
}
