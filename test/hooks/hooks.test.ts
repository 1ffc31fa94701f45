// What hooks are told, in which order, and what they cannot do.

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Hooks, Observers, ToolCallFact } from '../../src/activities/hooks.ts';
import { defineAgent } from '../../src/agents/agent.ts';
import { type Message, type ResultBlock, textOf } from '../../src/protocol/messages.ts';
import { defineTool } from '../../src/tools/tool.ts';
import type { MessageAnswer } from '../fake-model-api/answers.ts';
import { type Harness, withHarness } from '../support/harness.ts';
import { asks, says } from '../support/messages.ts';

const good = defineTool({
  name: 'good',
  description: 'Works.',
  input: z.object({ n: z.number() }),
  effect: 'read',
  run: ({ n }) => n + 1,
});
const fragile = defineTool({
  name: 'fragile',
  description: 'Fails once, then works.',
  input: z.object({}),
  effect: 'read',
  maxAttempts: 2,
  run: (_input, { attempt }) => {
    if (attempt === 1) throw new Error('the line was busy');
    return 'now it works';
  },
});
const broken = defineTool({
  name: 'broken',
  description: 'Never works.',
  input: z.object({}),
  effect: 'read',
  maxAttempts: 2,
  run: () => {
    throw new Error('there is no line');
  },
});

const agent = defineAgent({
  name: 'tester',
  instructions: 'Be brief.',
  model: 'anthropic/claude-fake-1',
  tools: [good, fragile, broken],
});

/** Observers that write down each fact as one word, `hook` or `hook:call#attempt:outcome`. */
function recorder(): { readonly seen: string[]; readonly observers: Observers } {
  const seen: string[] = [];
  const observers: Observers = {
    onModelCall: () => seen.push('onModelCall'),
    onTextDelta: () => {
      if (seen.at(-1) !== 'onTextDelta') seen.push('onTextDelta'); // in how many pieces a text comes is not our promise
    },
    onModelResult: () => seen.push('onModelResult'),
    onToolCall: ({ name, attempt }) => seen.push(`onToolCall:${name}#${attempt}`),
    onToolResult: ({ name, attempt, outcome }) => seen.push(`onToolResult:${name}#${attempt}:${outcome}`),
    onError: ({ name, attempt }) => seen.push(`onError:${name}#${attempt}`),
    onDone: ({ result }) => seen.push(`onDone:${result.status}`),
  };
  return { seen, observers };
}

interface Ran {
  readonly status: string;
  readonly requests: number;
  /** Text of each tool result, as the model was told. */
  readonly told: readonly string[];
  readonly transcript: readonly Message[];
}

/** One run that makes one call and then answers. */
async function run(hooks: Hooks, asked: MessageAnswer): Promise<Ran> {
  let ran: Ran | undefined;
  const model = { responses: [asked, says('Done.')] };
  await withHarness({ agents: [agent], model, hooks }, async (harness) => {
    ran = await follow(harness);
  });
  if (!ran) throw new Error('the run did not take place');
  return ran;
}

async function follow({ client, fake }: Harness): Promise<Ran> {
  const started = await client.start({ agent: 'tester', prompt: 'Go.' });
  const { status } = await client.result(started.run);
  const transcript = await client.transcript(started.run);
  const results = transcript.flatMap(({ content }) => content.filter((block) => block.type === 'result'));
  return { status, requests: fake.requests.length, told: results.map(textOfResult), transcript };
}

function textOfResult({ content }: ResultBlock): string {
  return textOf({ role: 'user', content });
}

const BEFORE = ['onModelCall', 'onModelResult'];
const AFTER = ['onModelCall', 'onTextDelta', 'onModelResult', 'onDone:completed'];

describe.concurrent('hooks', () => {
  test('of a good call come in the order in which things happen', async () => {
    const { seen, observers } = recorder();
    const beforeTool = ({ name }: ToolCallFact) => {
      seen.push(`beforeTool:${name}`);
      return { allow: true } as const;
    };
    expect(await run({ ...observers, beforeTool }, asks(['good', { n: 1 }]))).toMatchObject({ told: ['2'] });
    expect(seen).toEqual([
      ...BEFORE,
      'beforeTool:good',
      'onToolCall:good#1',
      'onToolResult:good#1:completed',
      ...AFTER,
    ]);
  });

  test('of a call that is tried again come once an attempt, with one result', async () => {
    const { seen, observers } = recorder();
    expect(await run(observers, asks(['fragile']))).toMatchObject({ told: ['now it works'] });
    expect(seen).toEqual([
      ...BEFORE,
      'onToolCall:fragile#1',
      'onError:fragile#1',
      'onToolCall:fragile#2',
      'onToolResult:fragile#2:completed',
      ...AFTER,
    ]);
  });

  test('of a call that fails for ever tell each error, and the failed result after the last', async () => {
    const { seen, observers } = recorder();
    const { told } = await run(observers, asks(['broken']));
    expect(told[0]).toContain('there is no line');
    expect(seen).toEqual([
      ...BEFORE,
      'onToolCall:broken#1',
      'onError:broken#1',
      'onToolCall:broken#2',
      'onError:broken#2',
      'onToolResult:broken#2:failed',
      ...AFTER,
    ]);
  });

  test('of a denied call tell the result without a call, and the model reads the reason and that it was not run', async () => {
    const { seen, observers } = recorder();
    const beforeTool = () => ({ deny: true, reason: 'not on Sundays' }) as const;
    const { told } = await run({ ...observers, beforeTool }, asks(['good', { n: 1 }]));
    expect(told).toEqual(['good was not run: denied (not on Sundays).']);
    expect(seen).toEqual([...BEFORE, 'onToolResult:good#1:denied', ...AFTER]);
  });

  test('of an unknown call tell the failed result with the model result, and ask no gate', async () => {
    const { seen, observers } = recorder();
    const beforeTool = () => {
      seen.push('beforeTool');
      return { allow: true } as const;
    };
    const { told } = await run({ ...observers, beforeTool }, asks(['nowhere']));
    expect(told[0]).toContain('good');
    expect(seen).toEqual([...BEFORE, 'onToolResult:nowhere#1:failed', ...AFTER]);
  });

  test('that throw or reject change nothing', async () => {
    const throwing = (): never => {
      throw new Error('the observer is broken');
    };
    const rejecting = async (): Promise<never> => throwing();
    const hooks: Observers = {
      onModelCall: throwing,
      onTextDelta: rejecting,
      onModelResult: rejecting,
      onToolCall: throwing,
      onToolResult: rejecting,
      onError: throwing,
      onDone: throwing,
    };
    const call = asks(['fragile']);
    const [undisturbed, disturbed] = await Promise.all([run({}, call), run(hooks, call)]);
    expect(disturbed).toEqual(undisturbed);
    expect(disturbed).toMatchObject({ status: 'completed', requests: 2, told: ['now it works'] });
  });
});

describe.concurrent('the gate', () => {
  test.each<[string, Hooks['beforeTool']]>([
    [
      'that throws',
      () => {
        throw new Error('the policy file is gone');
      },
    ],
    ['that gives no answer in time', () => new Promise(() => undefined)],
    ['that answers something else', () => ({ allow: 'yes' }) as never],
  ])('%s denies the call, and the handler is not run', async (_, beforeTool) => {
    const { seen, observers } = recorder();
    const { told, status } = await run({ ...observers, beforeTool }, asks(['good', { n: 1 }]));
    expect(told).toEqual(['good was not run: denied (policy check failed).']);
    expect(status).toBe('completed');
    expect(seen.filter((hook) => hook.startsWith('onToolCall'))).toEqual([]);
  });
});

describe.concurrent('onDone', () => {
  test('is told once a run, also of one that fails', async () => {
    const { seen, observers } = recorder();
    const model = { responses: [{ status: 401, body: { type: 'error', error: { type: 'authentication_error' } } }] };
    await withHarness({ agents: [agent], model, hooks: observers }, async ({ client }) => {
      const { run } = await client.start({ agent: 'tester', prompt: 'Go.' });
      expect(await client.result(run)).toMatchObject({ status: 'failed', reason: 'auth' });
    });
    expect(seen).toEqual(['onModelCall', 'onError:anthropic/claude-fake-1#1', 'onDone:failed']);
  });
});
