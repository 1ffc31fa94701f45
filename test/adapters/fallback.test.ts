// A chat whose first model is down for one turn: over two wires, with the official SDKs.

import { expect, test } from 'vitest';
import { defineAgent } from '../../src/agents/agent.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import { startWireFake, type WireAnswer } from '../fake-openai-api/wire-fake.ts';
import { eventOf } from '../support/harness.ts';
import { withRunWorker } from '../support/run-worker.ts';
import { quietRuntime } from '../support/runtime.ts';
import { testTemporal } from '../support/server.ts';
import { KEY, WIRES, type WireUnderTest } from './wires.ts';

const named = (name: string): WireUnderTest => WIRES.find((under) => under.name === name) ?? expect.fail(name);
const [anthropic, google] = [named('anthropic'), named('google')];

const agent = defineAgent({
  name: 'two',
  instructions: 'Be brief.',
  models: ['anthropic/model-1', 'google/model-3'],
  modelAttempts: 2,
});

test('a model that is used up is left for the turn, and the next turn begins with it again', async () => {
  quietRuntime();
  const busy: WireAnswer = {
    status: 529,
    body: anthropic.wire.toError(529, 'Busy.'),
    headers: { 'retry-after-ms': '1' },
  };
  const first = await startWireFake(anthropic.wire, busy, busy, { sse: anthropic.stream([{ text: 'Two.' }], 'stop') });
  const second = await startWireFake(google.wire, { sse: google.stream([{ text: 'One.' }], 'stop') });
  const adapters = {
    anthropic: async () => anthropic.create(first.url, KEY),
    google: async () => google.create(second.url, KEY),
  };
  try {
    await withRunWorker({ ...testTemporal(), agents: [agent], adapters }, async ({ client }) => {
      const { run } = await client.start({ agent: 'two', prompt: 'first', mode: 'chat' });
      await eventOf(client, run, 'turn_finished');
      await client.send(run, 'second');
      await client.close(run);
      expect(await client.result(run)).toMatchObject({ status: 'completed', text: 'Two.', turns: 2 });
      const events: RunEvent[] = [];
      for await (const event of client.events(run)) events.push(event);
      expect(events.filter(({ type }) => type === 'model_fallback')).toMatchObject([
        { turn: 1, from: 'anthropic/model-1', to: 'google/model-3', reason: 'overloaded' },
      ]);
      const answered = events.flatMap((event) => (event.type === 'model_result' ? [[event.turn, event.model]] : []));
      expect(answered).toEqual([
        [1, 'gemini-1'],
        [2, 'claude-1'],
      ]);
    });
    expect([first.requests.length, second.requests.length]).toEqual([3, 1]);
    expect([...first.rejections, ...second.rejections]).toEqual([]);
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
});
