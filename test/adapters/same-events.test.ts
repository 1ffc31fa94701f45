// One agent, one question, every wire: what a follower sees does not tell which model answers.

import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/agent.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { Usage } from '../../src/protocol/run.ts';
import { defineTool, ToolError } from '../../src/tools/tool.ts';
import { startWireFake } from '../fake-openai-api/wire-fake.ts';
import { type RunWorker, withRunWorker } from '../support/run-worker.ts';
import { quietRuntime } from '../support/runtime.ts';
import { testTemporal } from '../support/server.ts';
import { type Ending, KEY, type Said, WIRES, type WireUnderTest } from './wires.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks something up.',
  input: z.object({ q: z.string() }),
  effect: 'read',
  run: ({ q }) => `found ${q}`,
});
const count = defineTool({
  name: 'count',
  description: 'Counts things.',
  input: z.object({ things: z.string() }),
  effect: 'read',
  run: () => {
    throw new ToolError('too many to count');
  },
});
const agent = defineAgent({ name: 'same', instructions: 'Be brief.', model: 'demo', tools: [look, count] });

/** Text and two calls at once, one of which fails; a call with an input that is not valid; the answer. */
const ANSWERS: readonly (readonly [said: readonly Said[], ending: Ending])[] = [
  [
    [
      { text: 'Let me ' },
      { text: 'see: ' },
      { begin: 'look', call: 0, id: 'id_0' },
      { input: '{"q":', call: 0 },
      { input: '"tree"}', call: 0 },
      { begin: 'count', call: 1, id: 'id_1' },
      { input: '{"things":"leaves"}', call: 1 },
    ],
    'calls',
  ],
  [
    [
      { begin: 'look', call: 0, id: 'id_2' },
      { input: '{"q":7}', call: 0 },
    ],
    'calls',
  ],
  [[{ text: 'A tree has many leaves. 🌳' }], 'stop'],
];

/** The answer with which no usage comes: it counts for nothing, and the run goes on. */
const WITHOUT_USAGE = 1;
/** The usage of the other two. */
const SPENT: Usage = {
  inputTokens: 20,
  outputTokens: 10,
  cacheReadTokens: 8,
  cacheWriteTokens: 0,
  reasoningTokens: 4,
};

/** Ids, times, names and words of the provider, and what they cost. */
const OF_ITS_OWN: readonly string[] = [
  ...['cursor', 'at', 'run', 'callId', 'durationMs', 'digest'],
  ...['model', 'rawStopReason', 'usage', 'costUsdMicros', 'costUnknown'],
];

test('the same agent answers the same question with the same events on every wire', async () => {
  quietRuntime();
  const told = new Map<string, readonly unknown[]>();
  for (const under of WIRES) told.set(under.name, await eventsOn(under));
  const [first, ...others] = [...told];
  expect(first?.[1].map(typeOf)).toEqual([
    ...['run_started', 'turn_started'],
    ...['iteration_started', 'model_result', 'assistant_text', 'tool_call', 'tool_call', 'tool_result', 'tool_result'],
    ...['iteration_started', 'model_result', 'tool_result'], // an input that does not fit is answered without a call
    ...['iteration_started', 'model_result', 'assistant_text'],
    ...['usage', 'final_text', 'turn_finished', 'run_finished'],
  ]);
  for (const [name, events] of others) expect(events, name).toEqual(first?.[1]);
});

async function eventsOn(under: WireUnderTest): Promise<readonly unknown[]> {
  const answers = ANSWERS.map(([said, ending], index) => ({
    sse: under.stream(said, ending, index === WITHOUT_USAGE ? undefined : under.usage),
  }));
  const fake = await startWireFake(under.wire, ...answers);
  try {
    const adapters = { [under.name]: async () => under.create(fake.url, KEY) };
    const events = await withRunWorker({ ...testTemporal(), agents: [agent], adapters }, (worker) =>
      ask(worker, `${under.name}/model-3`),
    );
    expect(fake.rejections).toEqual([]);
    expect(fake.requests).toHaveLength(ANSWERS.length);
    expect(events.find(({ type }) => type === 'usage')).toMatchObject({ usage: { turn: SPENT, total: SPENT } });
    return inOrder(events).map(common);
  } finally {
    await fake.close();
  }
}

async function ask({ client }: RunWorker, model: string): Promise<RunEvent[]> {
  const { run } = await client.start({ agent: 'same', prompt: 'How many leaves has a tree?', model });
  const events: RunEvent[] = [];
  for await (const event of client.events(run)) events.push(event);
  return events;
}

/** Calls of one iteration run at once and may end in any order: here their events stand in the order of the calls. */
function inOrder(events: readonly RunEvent[]): readonly RunEvent[] {
  const asked = events.flatMap((event) => (event.type === 'model_result' ? event.calls : []));
  const place = ({ callId }: CallEvent) => asked.findIndex((call) => call.callId === callId);
  const iterationOf = ({ iteration = 0 }: CallEvent) => iteration;
  const sorted = events.filter(isOfCall).toSorted((one, other) => {
    const byKind = iterationOf(one) - iterationOf(other) || one.type.localeCompare(other.type);
    return byKind || place(one) - place(other);
  });
  return events.map((event) => (isOfCall(event) ? (sorted.shift() ?? event) : event));
}

type CallEvent = Extract<RunEvent, { type: 'tool_call' | 'tool_result' }>;

function isOfCall(event: RunEvent): event is CallEvent {
  return event.type === 'tool_call' || event.type === 'tool_result';
}

function common(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(common);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !OF_ITS_OWN.includes(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, common(inner)]));
}

function typeOf(event: unknown): unknown {
  return typeof event === 'object' && event !== null && 'type' in event ? event.type : undefined;
}
