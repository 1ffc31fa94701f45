import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineTool } from '../../../src/pawl.ts';
import { asks, playRun, says, scriptedAdapter } from '../../../src/testing/testing.ts';

const getWeather = defineTool({
  name: 'get_weather',
  description: 'The weather in a city, now.',
  input: z.object({ city: z.string() }),
  effect: 'read',
  run: ({ city }) => `${city}: sunny, 21 °C`,
});

const agent = defineAgent({
  name: 'weather',
  instructions: 'Answer questions about the weather.',
  model: 'claude-sonnet-4-5',
  tools: [getWeather],
});

const request = { prompt: 'What is the weather in Seoul?', limits: { maxIterations: 5 } };

test('the weather in one city is answered within five iterations', async () => {
  const adapter = scriptedAdapter([asks(['get_weather', { city: 'Seoul' }]), says('It is sunny in Seoul.')]);
  const { result, calls } = await playRun({ agent, request, adapter });
  expect(result).toMatchObject({ status: 'completed', iterations: 2, text: 'It is sunny in Seoul.' });
  expect(calls).toMatchObject([{ name: 'get_weather', outcome: 'completed' }]);
});

test('a model that asks for ever is stopped, and the result says by what', async () => {
  let asked = 0;
  const adapter = scriptedAdapter(() => asks(['get_weather', { city: `Seoul ${++asked}` }]));
  const { result } = await playRun({ agent, request, adapter });
  expect(result).toMatchObject({ status: 'limit_reached', reason: 'iteration_limit', iterations: 5 });
});

test('an input that does not fit never reaches the tool', async () => {
  const adapter = scriptedAdapter([asks(['get_weather', { town: 'Seoul' }]), says('I cannot tell.')]);
  const { calls } = await playRun({ agent, request, adapter });
  expect(calls).toMatchObject([{ outcome: 'failed' }]);
});
