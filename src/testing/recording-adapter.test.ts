import { expect, test } from 'vitest';
import { type ModelAdapter, ModelError, type ModelEvent, type ModelRequest } from '../adapters/model-adapter.ts';
import type { Message } from '../protocol/messages.ts';
import { recordingAdapter, recordingAdapters } from './recording-adapter.ts';
import { REMOVED } from './redact.ts';
import { replayAdapter } from './replay-adapter.ts';
import { says, scriptedAdapter } from './scripted-adapter.ts';
import { parseSequence, type RecordedCall, SequenceError, sequenceLine } from './sequence.ts';

const QUESTION: Message = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
const REQUEST: ModelRequest = { model: 'm', instructions: '', tools: [], messages: [QUESTION], maxOutputTokens: 10 };

async function read(adapter: ModelAdapter, request = REQUEST, stop = new AbortController()): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of adapter.stream(request, stop.signal)) events.push(event);
  return events;
}

function recording(adapter: ModelAdapter, secrets: readonly string[] = []) {
  const calls: RecordedCall[] = [];
  return { calls, adapter: recordingAdapter(adapter, { secrets, onCall: (call) => calls.push(call) }) };
}

test('what passes through is unchanged, and is recorded without signs of life', async () => {
  const inner: ModelAdapter = {
    async *stream(request, signal) {
      yield { type: 'alive' };
      yield* scriptedAdapter([says('Hello')]).stream(request, signal);
    },
  };
  const { adapter, calls } = recording(inner);
  const events = await read(adapter);
  expect(events.map(({ type }) => type)).toEqual(['alive', 'text_delta', 'finished']);
  expect(calls).toEqual([{ asked: { model: 'm', messages: 1, last: QUESTION }, events: events.slice(1) }]);
});

test('what is recorded comes back from a replay after a trip through a file', async () => {
  const { adapter, calls } = recording(scriptedAdapter([says('Hello')]));
  const events = await read(adapter);
  const sequence = parseSequence(`${calls.map(sequenceLine).join('\n')}\n`);
  expect(await read(replayAdapter(sequence))).toEqual(events);
});

test('a failure is recorded with what came before it, and without the wait that was asked for', async () => {
  const cause = new ModelError('overloaded', 'Overloaded', { retryable: true, status: 529, retryAfterMs: 60_000 });
  const inner: ModelAdapter = {
    async *stream() {
      yield { type: 'text_delta', text: 'Hel' };
      throw cause;
    },
  };
  const { adapter, calls } = recording(inner);
  await expect(read(adapter)).rejects.toBe(cause);
  const error = { kind: 'overloaded', message: 'Overloaded', retryable: true, status: 529 };
  expect(calls).toEqual([{ asked: expect.anything(), events: [{ type: 'text_delta', text: 'Hel' }], error }]);
  await expect(read(replayAdapter(calls))).rejects.toMatchObject({ ...error, retryAfterMs: 1 });
});

test('a call that is stopped from outside is left out', async () => {
  const stop = new AbortController();
  const inner: ModelAdapter = {
    async *stream() {
      yield { type: 'text_delta', text: 'Hel' };
      stop.abort();
      throw new ModelError('user_cancelled', 'stopped', { retryable: false });
    },
  };
  const { adapter, calls } = recording(inner);
  await expect(read(adapter, REQUEST, stop)).rejects.toThrow('stopped');
  for await (const _ of adapter.stream(REQUEST, new AbortController().signal)) break; // its reader leaves
  expect(calls).toEqual([]);
});

test('secrets are not recorded, and reach the reader as they are', async () => {
  const { adapter, calls } = recording(scriptedAdapter([says('It is hunter2-longer')]), ['hunter2-longer']);
  expect(JSON.stringify(await read(adapter))).toContain('hunter2-longer');
  expect(JSON.stringify(calls)).not.toContain('hunter2');
  expect(JSON.stringify(calls)).toContain(REMOVED);
});

test('all providers of a worker are recorded, and made on first use alone', async () => {
  const calls: RecordedCall[] = [];
  const made: string[] = [];
  const factories = {
    one: async () => {
      made.push('one');
      return scriptedAdapter([says('1')]);
    },
    two: () => Promise.reject(new Error('never loaded')),
  };
  const adapters = recordingAdapters(factories, { secrets: [], onCall: (call) => calls.push(call) });
  expect([Object.keys(adapters), made]).toEqual([['one', 'two'], []]);
  const adapter = await adapters['one']?.();
  if (adapter) await read(adapter);
  expect([made, calls.length]).toEqual([['one'], 1]);
});

test('the data of an image is recorded as its digest, and compared by it', async () => {
  const image = (data: string): Message => ({
    role: 'user',
    content: [{ type: 'image', mediaType: 'image/png', data }],
  });
  const { adapter, calls } = recording(scriptedAdapter([says('A cat')]));
  await read(adapter, { ...REQUEST, messages: [image('aGVsbG8=')] });
  expect(JSON.stringify(calls)).not.toContain('aGVsbG8=');
  const asked = (data: string) => read(replayAdapter(calls), { ...REQUEST, messages: [image(data)] });
  expect(await asked('aGVsbG8=')).toHaveLength(2);
  await expect(asked('b3RoZXI=')).rejects.toThrow('block 1 of the last message (image) is');
});

test.each([
  ['{"asked":', 'line 2 is no JSON'],
  ['{"events":[]}', 'line 2 is no recorded model call'],
  ['[1]', 'line 2 is no recorded model call'],
])('a file that holds %s names the line', (line, message) => {
  const first = sequenceLine({ asked: { model: 'm', messages: 0, last: null }, events: [] });
  expect(() => parseSequence(`${first}\n${line}\n`)).toThrow(SequenceError);
  expect(() => parseSequence(`${first}\n${line}\n`)).toThrow(message);
});
