// Reading an answer is linear in its length, on each wire: counted, with the real SDKs, and not timed.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countedWork } from '../../test/adapters/counted-work.ts';
import { KEY, type Said, WIRES, type WireUnderTest } from '../../test/adapters/wires.ts';
import { startWireFake, type WireFake } from '../../test/fake-openai-api/wire-fake.ts';
import type { ModelEvent, ModelRequest } from './model-adapter.ts';

const REQUEST: ModelRequest = {
  model: 'model-3',
  instructions: '',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  maxOutputTokens: 100,
};
const FEW = 200;
const TIMES = 8;
/** The work of an answer that is eight times as long. By the square it would be 64 times as much. */
const LINEAR = TIMES * 1.1;

const text = (pieces: number): readonly Said[] => Array.from({ length: pieces }, () => ({ text: 'some words ' }));

const call = (pieces: number): readonly Said[] => {
  const inputs = ['{"text":"', ...Array.from({ length: pieces }, () => 'some words '), '"}'];
  return [{ begin: 'look', call: 0, id: 'id_a' }, ...inputs.map((input) => ({ input, call: 0 }))];
};

async function lastOf(events: AsyncIterable<ModelEvent>): Promise<void> {
  let last: ModelEvent | undefined;
  for await (const event of events) last = event;
  expect(last?.type).toBe('finished');
}

describe.each(WIRES)('$name', (under: WireUnderTest) => {
  let fake: WireFake;

  beforeEach(async () => {
    fake = await startWireFake(under.wire);
  });

  afterEach(async () => {
    await fake.close();
  });

  /** How many times the work of reading the short answer the long one is. */
  async function growth(saidIn: (pieces: number) => readonly Said[], ending: 'stop' | 'calls'): Promise<number> {
    const adapter = under.create(fake.url, KEY);
    await adapter.prepare?.();
    const workOf = (pieces: number) => {
      fake.answer({ sse: under.stream(saidIn(pieces), ending), cutEveryBytes: 1_000 });
      return countedWork(() => lastOf(adapter.stream(REQUEST, new AbortController().signal)));
    };
    const few = await workOf(FEW);
    return (await workOf(FEW * TIMES)) / few;
  }

  it('a text of eight times as many pieces is eight times the work', async () => {
    expect(await growth(text, 'stop')).toBeLessThan(LINEAR);
  });

  it('the input of a call, too', async () => {
    expect(await growth(call, 'calls')).toBeLessThan(LINEAR);
  });
});

it('work that grows with the square is seen', async () => {
  const joinAtEachPiece = (pieces: number) => async () => {
    const all: string[] = [];
    for (let at = 0; at < pieces; at++) all.push(`some words ${all.join('').length}`);
  };
  const [few, many] = [await countedWork(joinAtEachPiece(FEW)), await countedWork(joinAtEachPiece(FEW * TIMES))];
  expect(many / few).toBeGreaterThan(LINEAR);
});
