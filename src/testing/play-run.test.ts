import { describe, expect, test } from 'vitest';
import type { HookFacts, Hooks } from '../activities/hooks.ts';
import { type ModelAdapter, ModelError } from '../adapters/model-adapter.ts';
import { type AgentDefinition, defineAgent } from '../agents/agent.ts';
import { defineTool, ToolError } from '../tools/tool.ts';
import { playRun } from './play-run.ts';
import { asks, says, scriptedAdapter } from './scripted-adapter.ts';

const base = { description: 'For a test.', input: { type: 'object' } } as const;
const look = defineTool({ ...base, name: 'look', effect: 'read', quick: true, run: () => 'a view' });
const busy = defineTool({
  ...base,
  name: 'busy',
  effect: 'read',
  run: (_, { attempt }) => {
    if (attempt < 3) throw new Error('the line was busy');
    return 'through';
  },
});
const broken = defineTool({
  ...base,
  name: 'broken',
  effect: 'read',
  run: () => {
    throw new Error('out of order');
  },
});
const pay = defineTool({
  ...base,
  name: 'pay',
  effect: 'once',
  run: () => {
    throw new Error('no answer from the bank');
  },
});
const refuse = defineTool({
  ...base,
  name: 'refuse',
  effect: 'read',
  run: () => {
    throw new ToolError('never');
  },
});
const strict = defineTool({
  ...base,
  name: 'strict',
  effect: 'read',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  run: ({ city }) => city,
});

function tester(changes: Partial<AgentDefinition> = {}) {
  const tools = [look, busy, broken, pay, refuse, strict];
  return defineAgent({ name: 'tester', instructions: 'Be brief.', model: 'test/one', tools, ...changes });
}

const request = { prompt: 'Go.' };

test('a turn is played to its answer, with its transcript and its calls', async () => {
  const adapter = scriptedAdapter([asks(['look'], ['strict', { city: 'Seoul' }]), says('A view of Seoul.')]);
  const { result, messages, calls } = await playRun({ agent: tester(), request, adapter });
  expect(result).toMatchObject({ status: 'completed', text: 'A view of Seoul.', iterations: 2, turns: 1 });
  expect(result.usage.inputTokens).toBe(40);
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(result.transcript.length).toBe(4);
  expect(calls.map(({ name, outcome, content }) => [name, outcome, content])).toEqual([
    ['look', 'completed', [{ type: 'text', text: 'a view' }]],
    ['strict', 'completed', [{ type: 'text', text: 'Seoul' }]],
  ]);
  expect(adapter.requests.map((asked) => asked.messages.length)).toEqual([1, 3]);
  expect(adapter.requests[0]).toMatchObject({ model: 'one', instructions: 'Be brief.' });
});

test('each call ends as on a worker: attempts are used up, once is never repeated, bad input runs nothing', async () => {
  const adapter = scriptedAdapter([
    asks(['busy'], ['broken'], ['pay'], ['refuse'], ['strict', { city: 5 }], ['nowhere']),
    says('Done.'),
  ]);
  const attempts: string[] = [];
  const hooks: Hooks = { onToolCall: ({ name, attempt }) => attempts.push(`${name} ${attempt}`) };
  const { calls } = await playRun({ agent: tester(), request, adapter, hooks });
  expect(Object.fromEntries(calls.map(({ name, outcome }) => [name, outcome]))).toEqual({
    busy: 'completed',
    broken: 'failed',
    pay: 'unknown',
    refuse: 'failed',
    strict: 'failed',
    nowhere: 'failed',
  });
  expect(attempts.sort()).toEqual([
    ...['broken 1', 'broken 2', 'broken 3', 'busy 1', 'busy 2', 'busy 3', 'pay 1', 'refuse 1'],
  ]);
});

test('hooks are told, and the gate denies', async () => {
  const told: string[] = [];
  const tell = (name: keyof HookFacts) => () => told.push(name);
  const hooks: Hooks = {
    beforeTool: ({ name }) => (name === 'look' ? { deny: true, reason: 'not today' } : { allow: true }),
    onModelCall: tell('onModelCall'),
    onTextDelta: tell('onTextDelta'),
    onModelResult: tell('onModelResult'),
    onToolResult: tell('onToolResult'),
    onDone: tell('onDone'),
  };
  const adapter = scriptedAdapter([asks(['look']), says('Denied.')]);
  const { calls } = await playRun({ agent: tester(), request, adapter, hooks });
  expect(calls).toMatchObject([{ outcome: 'denied' }]);
  const asked = ['onModelCall', 'onModelResult', 'onToolResult'];
  expect(told).toEqual([...asked, 'onModelCall', 'onTextDelta', 'onModelResult', 'onDone']);
});

describe('a turn that does not end well', () => {
  test('stops at its limit and says why', async () => {
    const adapter = scriptedAdapter(() => asks(['look']));
    const { result } = await playRun({
      agent: tester(),
      request: { ...request, limits: { maxIterations: 3 } },
      adapter,
    });
    expect(result).toMatchObject({ status: 'limit_reached', reason: 'iteration_limit', iterations: 3 });
    expect(result.text).toContain('Stopped: 3 iterations used (limit 3).');
  });

  test('names the calls that a limit has skipped', async () => {
    const adapter = scriptedAdapter([asks(['look'], ['look']), says('One of two.')]);
    const agent = tester({ limits: { maxCallsPerIteration: 1 } });
    const { calls } = await playRun({ agent, request, adapter });
    expect(calls.map(({ outcome }) => outcome)).toEqual(['completed', 'skipped']);
  });

  test('fails when the model has used up its attempts, without waiting between them', async () => {
    let asked = 0;
    const adapter: ModelAdapter = {
      // biome-ignore lint/correctness/useYield: it fails before it says anything
      async *stream() {
        asked++;
        throw new ModelError('overloaded', 'Overloaded', { retryable: true, retryAfterMs: 3_600_000 });
      },
    };
    const { result } = await playRun({ agent: tester({ modelAttempts: 4 }), request, adapter });
    expect([asked, result.status, result.reason]).toEqual([4, 'failed', 'overloaded']);
  });

  test('fails at once for a request that cannot be', async () => {
    const adapter = scriptedAdapter([]);
    const results = await Promise.all(
      [{}, { prompt: 'Go.', tools: ['nowhere'] }].map((bad) => playRun({ agent: tester(), request: bad, adapter })),
    );
    expect(results.map(({ result }) => [result.status, result.reason])).toEqual([
      ['failed', 'invalid_request'],
      ['failed', 'invalid_request'],
    ]);
    expect(adapter.requests).toEqual([]);
  });

  test('is failed by a script that is too short', async () => {
    const { result } = await playRun({ agent: tester(), request, adapter: scriptedAdapter([asks(['look'])]) });
    expect(result.text).toBe('The script has no answer number 2: it ends after 1.');
  });
});

test('a conversation goes on from the messages of the turn before, with that turn alone in its calls', async () => {
  const first = await playRun({
    agent: tester(),
    request,
    adapter: scriptedAdapter([asks(['look']), says('A view.')]),
  });
  const adapter = scriptedAdapter([asks(['busy']), says('Through.')]);
  const again = { prompt: 'Again.', messages: first.messages };
  const { messages, calls } = await playRun({ agent: tester(), request: again, adapter });
  expect(messages).toHaveLength(8);
  expect(calls.map(({ name }) => name)).toEqual(['busy']);
});

test('a structured answer is checked, and sent back where it does not fit', async () => {
  const output = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const;
  const adapter = scriptedAdapter([says('{"sum":"much"}'), says('{"sum":42}')]);
  const { result } = await playRun({ agent: tester({ output }), request, adapter });
  expect(result).toMatchObject({ status: 'completed', iterations: 2, output: { sum: 42 } });
});

test('a fault of the script is the text of the failed turn', async () => {
  const adapter = scriptedAdapter(() => {
    throw new TypeError('a fault of the test');
  });
  const { result } = await playRun({ agent: tester({ modelAttempts: 1 }), request, adapter });
  expect(result).toMatchObject({ status: 'failed', text: 'a fault of the test' });
});
