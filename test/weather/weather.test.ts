// The simple weather question, end to end: how many iterations it may take, and proof that more are counted.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDemoAdapter } from '../../src/adapters/demo.ts';
import type { ModelAdapter } from '../../src/adapters/model-adapter.ts';
import { demoAgent } from '../../src/agents/demo.ts';
import type { RunRequest, RunResult } from '../../src/protocol/run.ts';
import { scriptedModel } from '../client/scripted.ts';
import { type FakeOpenMeteo, startFakeOpenMeteo } from '../fake-open-meteo/server.ts';
import { withHarness } from '../support/harness.ts';

const MOST_ITERATIONS = 5;
const QUESTION = 'What is the weather in Seoul?';
const CITIES = ['Seoul', 'Paris', 'Tokyo', 'London', 'Berlin', 'Rome', 'Oslo'];

let weather: FakeOpenMeteo;

beforeAll(async () => {
  weather = await startFakeOpenMeteo();
});
afterAll(() => weather.close());

/** The demo agent's result, with the given model behind it. */
async function ask(adapter: ModelAdapter, limits?: RunRequest['limits']): Promise<RunResult> {
  let result: RunResult | undefined;
  const agent = demoAgent({ model: 'test/weather', weather });
  await withHarness({ agents: [agent], adapter }, async ({ client }) => {
    const { run } = await client.start({ agent: 'demo', prompt: QUESTION, limits });
    result = await client.result(run);
  });
  if (!result) throw new Error('the run gave no result');
  return result;
}

test('the simple weather question takes at most five iterations', async () => {
  const { status, text, iterations } = await ask(createDemoAdapter());
  expect(status).toBe('completed');
  expect(text).toContain('Weather in Seoul');
  expect(iterations).toBeLessThanOrEqual(MOST_ITERATIONS);
});

test('a model that asks for the weather for ever takes more, and stops at a limit of five', async () => {
  const asked = ({ messages }: { readonly messages: readonly unknown[] }) => {
    const n = (messages.length - 1) / 2;
    const city = CITIES[n % CITIES.length] ?? '';
    return [{ type: 'call' as const, callId: `call_${n}`, name: 'get_weather', input: { city } }];
  };
  const unlimited = await ask(scriptedModel(asked));
  expect(unlimited.iterations).toBeGreaterThan(MOST_ITERATIONS);

  const limited = await ask(scriptedModel(asked), { maxIterations: MOST_ITERATIONS });
  expect(limited).toMatchObject({ status: 'limit_reached', reason: 'iteration_limit', iterations: MOST_ITERATIONS });
  expect(limited.text).toContain('Stopped: 5 iterations used (limit 5).');
});
