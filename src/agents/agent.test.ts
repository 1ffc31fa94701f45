import { expect, test } from 'vitest';
import { addNumbers } from '../tools/add-numbers.ts';
import { DefinitionError } from '../tools/definition-error.ts';
import { defineTool } from '../tools/tool.ts';
import { type AgentDefinition, defineAgent } from './agent.ts';
import { agents } from './index.ts';

const good: AgentDefinition = { name: 'demo', instructions: '', model: 'demo' };

function problemsOf(change: Readonly<Record<string, unknown>>): readonly string[] {
  try {
    defineAgent({ ...good, ...change } as AgentDefinition);
  } catch (error) {
    if (error instanceof DefinitionError) return error.problems;
    throw error;
  }
  return [];
}

test('defaults are filled in, one by one', () => {
  expect(defineAgent(good)).toEqual({
    name: 'demo',
    instructions: '',
    model: 'demo',
    fallbackModels: [],
    tools: [],
    limits: { maxIterations: 10, maxCallsPerIteration: 64 },
    maxOutputTokens: 8_192,
    modelAttempts: 5,
    streamIdleTimeoutMs: 60_000,
    heartbeatTimeoutMs: 30_000,
    continueAsNewAfterEvents: 4_000,
    loopGuard: { warnAt: 3, stopAt: 5 },
  });
  const some = defineAgent({
    ...good,
    limits: { maxTotalTokens: 5, maxIterations: undefined },
    loopGuard: { stopAt: 9 },
  });
  expect(some.limits).toEqual({ maxIterations: 10, maxCallsPerIteration: 64, maxTotalTokens: 5 });
  expect(some.loopGuard).toEqual({ warnAt: 3, stopAt: 9 });
});

test('several models are asked in their order, and one way of naming them is enough', () => {
  const { model: _, ...rest } = good;
  expect(defineAgent({ ...rest, models: ['a/1', 'b/2', 'c/3'] })).toMatchObject({
    model: 'a/1',
    fallbackModels: ['b/2', 'c/3'],
  });
  expect(problemsOf({ models: ['a/1'] })).toEqual(['model and models are both given; give one of them']);
  expect(problemsOf({ model: undefined, models: [] })).toEqual(['models must be a list with at least one model']);
  expect(problemsOf({ model: undefined, models: ['a/1', ''] })).toEqual([
    'models[1] must be a text that is not empty, not ""',
  ]);
});

test('all faults are told at once', () => {
  const twin = defineTool({
    name: 'add_numbers',
    description: 'Twin',
    input: { type: 'object' },
    effect: 'read',
    run: () => 1,
  });
  const faulty = {
    name: '',
    instructions: 7,
    model: '',
    modelAttempts: 0,
    limits: { maxIterations: -1, maxSteps: 3 },
    loopGuard: { warnAt: 9, stopAt: 5 },
    compaction: { contextWindowTokens: 999, model: ' ' },
    tools: [addNumbers, twin],
  };
  expect(problemsOf(faulty)).toEqual([
    'name must be a text that is not empty, not ""',
    'model must be a text that is not empty, not ""',
    'instructions must be a text, not 7',
    'modelAttempts must be a whole number of at least 1, not 0',
    'limits.maxIterations must be a whole number of at least 1, not -1',
    'limits.maxSteps is no limit; there are maxIterations, maxCallsPerIteration, maxTotalTokens, maxCostUsdMicros, maxDurationMs',
    'loopGuard.stopAt (5) must not be less than warnAt (9)',
    'compaction.contextWindowTokens must be a whole number of at least 1000, not 999',
    'compaction.model must be a text that is not empty, not " "',
    'two tools are named "add_numbers": "Adds two numbers." and "Twin"',
  ]);
  expect(problemsOf({ tools: [{ name: 'x' }] })).toEqual(['tools must be made with defineTool, not an object']);
});

test('the worker serves the demo agent with the model of its configuration', () => {
  const weather = { geocodingUrl: 'http://127.0.0.1/search', forecastUrl: 'http://127.0.0.1/forecast' };
  const [demo] = agents({ model: 'demo', weather });
  expect(demo).toMatchObject({ name: 'demo', model: 'demo' });
  expect(demo?.tools.map(({ name }) => name)).toEqual(['get_time', 'add_numbers', 'get_weather']);
});
