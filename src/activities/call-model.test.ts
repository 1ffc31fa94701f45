import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ModelAdapter, ModelEvent, ModelRequest } from '../adapters/model-adapter.ts';
import type { CallModelInput, CallModelResult } from '../protocol/activities.ts';
import type { AssistantBlock, Message } from '../protocol/messages.ts';
import { NO_USAGE } from '../protocol/run.ts';
import { createRegistry } from '../tools/registry.ts';
import { defineTool } from '../tools/tool.ts';
import { createCallModel } from './call-model.ts';
import { ContextCache, emptyContext, extendContext } from './context-cache.ts';
import { digestAfter } from './digest.ts';
import type { Hooks } from './hooks.ts';
import { createObserve } from './observe.ts';
import { createCostOf } from './prices.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const SILENT = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const CITY = { type: 'object' as const, properties: { city: { type: 'string' as const } }, required: ['city'] };
const TOOLS = ['look', 'hidden'].map((name) =>
  defineTool({ name, description: name, input: CITY, effect: 'read', run: () => 'seen' }),
);
const REGISTRY = createRegistry(TOOLS);
const HEAD = { instructions: 'Be brief.', tools: REGISTRY.specs().filter(({ name }) => name === 'look') };
const EMPTY = emptyContext(HEAD);
const QUESTION: Message = { role: 'user', content: [{ type: 'text', text: 'What is it like in Seoul?' }] };
const INPUT: CallModelInput = {
  base: { context: 0, length: 0, digest: EMPTY.digest },
  append: [QUESTION],
  agent: 'tester',
  model: 'fake/one',
  maxOutputTokens: 100,
  streamIdleTimeoutMs: 1_000,
  turn: 1,
  iteration: 3,
};

type Script = (signal: AbortSignal, request: ModelRequest) => AsyncIterable<ModelEvent>;

interface Setting {
  readonly script: Script;
  readonly hooks?: Hooks;
  readonly maxPayloadBytes?: number;
  readonly cache?: ContextCache;
}

function setUp({ script, hooks = {}, maxPayloadBytes = 1_000_000, cache = new ContextCache(1_000_000) }: Setting) {
  cache.set(EMPTY);
  const adapter: ModelAdapter = { stream: (request, signal) => script(signal, request) };
  const activity = createCallModel({
    agents: [],
    models: { find: async () => ({ adapter, provider: 'fake', model: 'one' }) },
    registry: REGISTRY,
    cache,
    observe: createObserve(hooks),
    maxPayloadBytes,
    costOf: createCostOf({ 'fake/one': { inputUsdPerMillion: 1, outputUsdPerMillion: 1 } }),
  });
  const env = new MockActivityEnvironment({ startToCloseTimeoutMs: 60_000, attempt: 2 }, { logger: SILENT });
  const call = (input: Partial<CallModelInput> = {}) =>
    env.run<[CallModelInput], CallModelResult, typeof activity>(activity, { ...INPUT, ...input });
  return { env, cache, call };
}

function finished(content: readonly AssistantBlock[], parts: Partial<Extract<ModelEvent, { type: 'finished' }>> = {}) {
  const message = { role: 'assistant' as const, content };
  const rest = { stopReason: 'end_turn' as const, rawStopReason: 'end_turn', model: 'one-1', usage: NO_USAGE };
  return { type: 'finished' as const, message, ...rest, ...parts };
}

function saying(...events: readonly ModelEvent[]): Script {
  return async function* () {
    yield* events;
  };
}

function calling(name: string, callId: string, input = { city: 'Seoul' }): AssistantBlock {
  return { type: 'call', callId, name, input };
}

const HELLO: AssistantBlock = { type: 'text', text: 'Hello' };
const silence: Script = async function* () {
  yield { type: 'alive' };
  await new Promise(() => undefined);
};

/** The type of the failure, or what else was thrown. */
async function failure(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'none';
  } catch (error) {
    if (error instanceof ApplicationFailure) return `${error.type}${error.nonRetryable ? ' for good' : ''}`;
    return error instanceof CancelledFailure ? `cancelled: ${error.message}` : String(error);
  }
}

describe('the answer', () => {
  test('is asked for with the whole context, and its digest is the chain over all of it', async () => {
    const requests: ModelRequest[] = [];
    const first: Message = { role: 'user', content: [{ type: 'text', text: 'first' }] };
    const base = extendContext(EMPTY, [first]);
    const { call, cache } = setUp({
      script: (_signal, request) => {
        requests.push(request);
        return saying(finished([HELLO]))(new AbortController().signal, request);
      },
    });
    cache.set(base);
    const result = await call({ base: { context: 0, length: 1, digest: base.digest } });
    const answer: Message = { role: 'assistant', content: [HELLO] };
    expect(requests).toMatchObject([
      { model: 'one', instructions: 'Be brief.', tools: HEAD.tools, messages: [first, QUESTION] },
    ]);
    expect(result.digest).toBe(digestAfter(EMPTY.digest, [first, QUESTION, answer]));
    expect(cache.get(result.digest)?.messages).toEqual([first, QUESTION, answer]);
  });

  test('keeps no blank text', async () => {
    const result = await setUp({ script: saying(finished([{ type: 'text', text: ' \n' }, HELLO])) }).call();
    expect(result.message?.content).toEqual([HELLO]);
  });

  test.each([
    ['is empty', finished([])],
    ['is a refusal', finished([HELLO], { stopReason: 'refusal' })],
  ])('has no message where it %s, and the digest is that of the question', async (_name, event) => {
    const result = await setUp({ script: saying(event) }).call();
    expect(result).toMatchObject({ message: null, verdicts: [], digest: digestAfter(EMPTY.digest, [QUESTION]) });
  });

  test('that is too large to be delivered fails for good', async () => {
    const script = saying(finished([{ type: 'text', text: 'x'.repeat(2_000) }]));
    expect(await failure(setUp({ script, maxPayloadBytes: 1_000 }).call())).toBe('Model.TooLarge for good');
  });

  test.each<[string, ModelEvent]>([
    ['a call without a name', finished([calling('', 'a')])],
    ['a call whose input is a list', finished([{ ...calling('look', 'a'), input: [] } as unknown as AssistantBlock])],
    ['an unknown block', finished([{ type: 'riddle' } as unknown as AssistantBlock])],
    ['tokens that are no number', finished([HELLO], { usage: { ...NO_USAGE, inputTokens: Number.NaN } })],
    ['reasoning of less than nothing', finished([HELLO], { usage: { ...NO_USAGE, reasoningTokens: -1 } })],
  ])('with %s is tried again', async (_name, event) => {
    expect(await failure(setUp({ script: saying(event) }).call())).toBe('Model.BadModelResponse');
  });
});

describe('call ids', () => {
  async function idsOf(content: readonly AssistantBlock[], append: readonly Message[] = [QUESTION]): Promise<string[]> {
    const { message } = await setUp({ script: saying(finished(content)) }).call({ append });
    return message?.content.map((block) => (block.type === 'call' ? block.callId : '')) ?? [];
  }

  test('stay as the provider gave them where they are distinct', async () => {
    expect(await idsOf([calling('look', 'functions.look:0'), calling('look', 'b')])).toEqual(['functions.look:0', 'b']);
  });

  test('that repeat get their iteration and position', async () => {
    expect(await idsOf([calling('look', 'a'), calling('look', 'a')])).toEqual(['a', 'a_3_1']);
  });

  test('that repeat over turns get the turn as well', async () => {
    const earlier: Message = { role: 'assistant', content: [calling('look', 'a'), calling('look', 'a_3_0')] };
    expect(await idsOf([calling('look', 'a')], [QUESTION, earlier])).toEqual(['a_1_3_0']);
  });

  test('that are empty or far too long are replaced by legal ones', async () => {
    const ids = await idsOf([calling('look', ''), calling('look', 'ü'.repeat(300))]);
    expect(ids[0]).toBe('call_3_0');
    expect(ids[1]).toMatch(/^_{60}_3_1$/);
  });
});

describe('verdicts', () => {
  test('are given for each call in order, and only tools of the run may be called', async () => {
    const content = [calling('look', 'a'), calling('hidden', 'b'), calling('look', 'c', { city: 5 } as never)];
    const { verdicts } = await setUp({ script: saying(finished(content)) }).call();
    expect(verdicts.map(({ status }) => status)).toEqual(['ok', 'unknown_tool', 'invalid_input']);
    expect(JSON.stringify(verdicts[1])).toContain('The tools are: look.');
  });

  test('are cut for the call in which the output limit ended the answer', async () => {
    const content = [calling('look', 'a'), calling('look', 'b')];
    const { verdicts } = await setUp({ script: saying(finished(content, { stopReason: 'max_tokens' })) }).call();
    expect(verdicts.map(({ status }) => status)).toEqual(['ok', 'cut']);
  });

  test('are not cut where the answer ended after the call', async () => {
    const content = [calling('look', 'a'), HELLO];
    const { verdicts } = await setUp({ script: saying(finished(content, { stopReason: 'max_tokens' })) }).call();
    expect(verdicts.map(({ status }) => status)).toEqual(['ok']);
  });

  test('leave the input of a tool that this worker lacks to another worker', async () => {
    const strange = { ...HEAD, tools: [{ name: 'newer', description: 'newer', input_schema: { type: 'object' } }] };
    const base = emptyContext(strange);
    const cache = new ContextCache(1_000_000);
    cache.set(base);
    const { call } = setUp({ script: saying(finished([calling('newer', 'a')])), cache });
    const { verdicts } = await call({ base: { context: 0, length: 0, digest: base.digest } });
    expect(verdicts).toEqual([{ status: 'ok' }]);
  });
});

describe('a stream', () => {
  test('that falls silent is given up, and its adapter is told', async () => {
    const signals: AbortSignal[] = [];
    const { call } = setUp({
      script: (signal, request) => {
        signals.push(signal);
        return silence(signal, request);
      },
    });
    const failed = failure(call());
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await failed).toBe('Model.Timeout');
    expect(signals[0]?.aborted).toBe(true);
  });

  test('that only shows signs of life is given up before the server would do it', async () => {
    const script: Script = async function* () {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 900));
        yield { type: 'alive' };
      }
    };
    const failed = failure(setUp({ script }).call());
    await vi.advanceTimersByTimeAsync(59_000);
    expect(await failed).toBe('Model.Timeout');
  });

  test('that ends without an end is incomplete', async () => {
    expect(await failure(setUp({ script: saying({ type: 'text_delta', text: 'Hel' }) }).call())).toBe(
      'Model.StreamIncomplete',
    );
  });

  test.each([
    ['CANCELLED', 'cancelled: CANCELLED'],
    ['WORKER_SHUTDOWN', 'Worker.Lost'],
  ] as const)('is stopped by %s', async (reason, expected) => {
    const { call, env } = setUp({ script: silence });
    const failed = failure(call());
    await vi.advanceTimersByTimeAsync(0);
    env.cancel(reason);
    expect(await failed).toBe(expected);
  });

  test('is watched live by heartbeats with the end of its text', async () => {
    const script: Script = async function* (signal, request) {
      yield { type: 'text_delta', text: 'x'.repeat(8_192) };
      yield { type: 'text_delta', text: 'end' };
      yield* silence(signal, request);
    };
    const { call, env } = setUp({ script });
    const beats: { offset: number; text: string }[] = [];
    env.on('heartbeat', (details) => beats.push(details));
    const failed = failure(call({ live: true }));
    await vi.advanceTimersByTimeAsync(999);
    expect(beats).toEqual([{ turn: 1, iteration: 3, attempt: 2, offset: 3, text: `${'x'.repeat(8_189)}end` }]);
    env.cancel('CANCELLED');
    await failed;
  });
});

test('observers are told of a call, its text, its result and what was answered at once', async () => {
  const names: string[] = [];
  const hooks: Hooks = {
    onModelCall: ({ messages }) => names.push(`onModelCall ${messages}`),
    onTextDelta: ({ text }) => names.push(`onTextDelta ${text}`),
    onModelResult: ({ result }) => names.push(`onModelResult ${result.stopReason}`),
    onToolResult: ({ name, outcome }) => names.push(`onToolResult ${name} ${outcome}`),
  };
  const events: ModelEvent[] = [{ type: 'text_delta', text: 'Hi' }, finished([HELLO, calling('none', 'a')])];
  await setUp({ script: saying(...events), hooks }).call();
  expect(names).toEqual(['onModelCall 1', 'onTextDelta Hi', 'onModelResult end_turn', 'onToolResult none failed']);
});
