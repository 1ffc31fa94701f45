import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type CallTool, type CallToolInput, FAILURES, type ToolResult } from '../protocol/activities.ts';
import type { Effect } from '../protocol/snapshot.ts';
import { createRegistry } from '../tools/registry.ts';
import { defineTool, type ToolCall, ToolError } from '../tools/tool.ts';
import { createCallTool } from './call-tool.ts';
import { createGate } from './gate.ts';
import type { Hooks } from './hooks.ts';
import { createObserve } from './observe.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

interface Setting {
  readonly effect?: Effect;
  readonly maxAttempts?: number;
  readonly attempt?: number;
  readonly heartbeatDetails?: unknown;
  readonly activityType?: string;
  readonly hooks?: Hooks;
  run?(call: ToolCall): unknown;
}

function setUp(setting: Setting) {
  const { effect = 'read', maxAttempts, attempt = 1, heartbeatDetails, activityType = 'probe', hooks = {} } = setting;
  const run = vi.fn((_input: unknown, call: ToolCall) => setting.run?.(call));
  const input = { type: 'object' as const };
  const tool = defineTool({ name: 'probe', description: 'a probe', input, effect, maxAttempts, timeoutMs: 5_000, run });
  const activity = createCallTool({
    registry: createRegistry([tool]),
    askGate: createGate(hooks),
    observe: createObserve(hooks),
  });
  const env = new MockActivityEnvironment({ activityType, attempt, heartbeatDetails }, { logger: SILENT });
  const beats: unknown[] = [];
  env.on('heartbeat', (details: unknown) => beats.push(details));
  const call = (parts: Partial<CallToolInput> = {}) =>
    env.run<[CallToolInput], ToolResult, CallTool>(activity, { ...INPUT, ...parts });
  return { run, env, beats, call };
}

const INPUT: CallToolInput = {
  callId: 'c1',
  input: {},
  agent: 'tester',
  maxResultBytes: 10_000,
  turn: 1,
  iteration: 2,
};
const SILENT = { log() {}, trace() {}, debug() {}, info() {}, warn: vi.fn(), error() {} };
const boom = () => {
  throw new Error('boom');
};
const never = () => new Promise(() => undefined);

function textOf(result: ToolResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** What came of a call: the outcome of a value, or the type of a failure. */
async function ending(call: Promise<ToolResult>): Promise<string> {
  try {
    return (await call).outcome;
  } catch (error) {
    if (error instanceof ApplicationFailure) return `${error.type}${error.nonRetryable ? ' for good' : ''}`;
    return error instanceof CancelledFailure ? `cancelled: ${error.message}` : String(error);
  }
}

describe.each<{ effect: Effect; throws: string; times: string; stops: string; failsFirst: string }>([
  { effect: 'read', throws: 'failed', times: 'failed', stops: 'Worker.Lost', failsFirst: 'Tool.Failed' },
  { effect: 'idempotent', throws: 'failed', times: 'unknown', stops: 'Worker.Lost', failsFirst: 'Tool.Failed' },
  { effect: 'once', throws: 'unknown', times: 'unknown', stops: 'unknown', failsFirst: 'unknown' },
])('a tool with effect $effect', ({ effect, throws, times, stops, failsFirst }) => {
  const last = effect === 'once' ? {} : { maxAttempts: 1 };

  test('that returns is completed', async () => {
    expect(await ending(setUp({ effect, run: () => 'fine' }).call())).toBe('completed');
  });

  test('that throws a ToolError has failed, and is not tried again', async () => {
    const run = () => {
      throw new ToolError('no such city');
    };
    const result = await setUp({ effect, run }).call();
    expect(result.outcome).toBe('failed');
    expect(textOf(result)).toContain('no such city');
  });

  test(`whose handler throws ends as ${failsFirst}, and as ${throws} when no attempt is left`, async () => {
    expect(await ending(setUp({ effect, run: boom }).call())).toBe(failsFirst);
    const result = await setUp({ effect, run: boom, ...last }).call();
    expect(result.outcome).toBe(throws);
    expect(textOf(result)).toContain('boom');
  });

  test(`whose handler ignores its time-out ends as ${times} when no attempt is left`, async () => {
    const { call } = setUp({ effect, run: never, ...last });
    const called = call();
    await vi.advanceTimersByTimeAsync(5_000);
    const result = await called;
    expect(result.outcome).toBe(times);
    expect(textOf(result)).toContain('timed out');
    expect(textOf(result)).not.toContain('not run');
  });

  test(`is ended as ${stops} by a worker that stops`, async () => {
    const { call, env } = setUp({ effect, run: never });
    const called = ending(call());
    await vi.advanceTimersByTimeAsync(0);
    env.cancel('WORKER_SHUTDOWN');
    expect(await called).toBe(stops);
  });

  test('is cancelled by its run, and the handler is told', async () => {
    let signal: AbortSignal | undefined;
    const { call, env } = setUp({
      effect,
      run: (toolCall) => {
        signal = toolCall.signal;
        return never();
      },
    });
    const called = ending(call());
    await vi.advanceTimersByTimeAsync(0);
    env.cancel('CANCELLED');
    expect(await called).toBe('cancelled: CANCELLED');
    expect(signal?.aborted).toBe(true);
  });
});

describe('own failures', () => {
  test('are counted over attempts by what the heartbeat carries', async () => {
    const second = setUp({ effect: 'read', run: boom, attempt: 7, heartbeatDetails: { failures: 1 } });
    expect(await ending(second.call())).toBe('Tool.Failed');
    expect(second.beats).toEqual([{ failures: 2 }]);
    const third = setUp({ effect: 'read', run: boom, attempt: 8, heartbeatDetails: { failures: 2 } });
    expect(await ending(third.call())).toBe('failed');
  });

  test('do not grow while the handler runs', async () => {
    const { call, beats, env } = setUp({ run: never, heartbeatDetails: { failures: 1 } });
    const called = ending(call());
    await vi.advanceTimersByTimeAsync(2_000);
    expect(beats).toEqual([{ failures: 1 }, { failures: 1 }]);
    env.cancel('CANCELLED');
    await called;
  });
});

test('a tool that this worker lacks is a failure for good', async () => {
  expect(await ending(setUp({ activityType: 'other' }).call())).toBe(`${FAILURES.toolNotHere} for good`);
});

test('a once handler is not run in a second attempt', async () => {
  const { call, run } = setUp({ effect: 'once', attempt: 2, run: () => 'fine' });
  expect(await ending(call())).toBe('unknown');
  expect(run).not.toHaveBeenCalled();
});

test('every attempt of a call has the same idempotency key', async () => {
  const keys: string[] = [];
  const run = (call: ToolCall) => keys.push(call.idempotencyKey);
  await setUp({ run, attempt: 1 }).call();
  await setUp({ run, attempt: 2 }).call();
  expect(keys).toEqual(['test/1.2/c1', 'test/1.2/c1']);
});

test('a call of another iteration has another idempotency key, also where a provider has used its id before', async () => {
  const keys: string[] = [];
  const run = (call: ToolCall) => keys.push(call.idempotencyKey);
  await setUp({ run }).call();
  await setUp({ run }).call({ iteration: 12 });
  await setUp({ run }).call({ turn: 2 });
  expect(new Set(keys).size).toBe(3);
});

describe('a quick call', () => {
  test('that throws fails for good, so that the run dispatches it again', async () => {
    expect(await ending(setUp({ run: boom }).call({ quick: true }))).toBe(`${FAILURES.toolFailed} for good`);
  });

  test('has one second', async () => {
    const called = ending(setUp({ run: never }).call({ quick: true }));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await called).toBe(`${FAILURES.toolFailed} for good`);
  });
});

describe('the gate', () => {
  const denying: Hooks = { beforeTool: () => ({ deny: true, reason: 'not on Sundays' }) };

  test('keeps the handler from running, and its reason is told', async () => {
    const { call, run } = setUp({ hooks: denying });
    const result = await call();
    expect(result.outcome).toBe('denied');
    expect(textOf(result)).toContain('was not run: denied (not on Sundays)');
    expect(run).not.toHaveBeenCalled();
  });

  test('does not claim that a call was not run where an earlier attempt may have', async () => {
    const result = await setUp({ hooks: denying, effect: 'idempotent', attempt: 2 }).call();
    expect(result.outcome).toBe('unknown');
    expect(textOf(result)).not.toContain('not run');
  });

  test.each<[string, unknown]>([
    ['throws', boom],
    ['rejects', async () => boom()],
    ['answers nothing', () => undefined],
    ['answers a bare true', () => true],
  ])('denies when it %s', async (_name, beforeTool) => {
    const result = await setUp({ hooks: { beforeTool: beforeTool as Hooks['beforeTool'] } }).call();
    expect(result.outcome).toBe('denied');
    expect(textOf(result)).toContain('policy check failed');
  });

  test('denies when it gives no answer in five seconds', async () => {
    const called = setUp({ hooks: { beforeTool: never as Hooks['beforeTool'] } }).call();
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await called).outcome).toBe('denied');
  });

  test('lets a call run that it allows', async () => {
    expect(await ending(setUp({ hooks: { beforeTool: () => ({ allow: true }) }, run: () => 'fine' }).call())).toBe(
      'completed',
    );
  });
});

describe('observers', () => {
  function recording(names: string[]): Hooks {
    return {
      beforeTool: () => {
        names.push('beforeTool');
        return { allow: true };
      },
      onToolCall: () => names.push('onToolCall'),
      onToolResult: ({ outcome }) => names.push(`onToolResult ${outcome}`),
      onError: () => names.push('onError'),
    };
  }

  test('are told of a good call in order', async () => {
    const names: string[] = [];
    await setUp({ hooks: recording(names), run: () => 'fine' }).call();
    expect(names).toEqual(['beforeTool', 'onToolCall', 'onToolResult completed']);
  });

  test('are told of a failing attempt, and of a result only when there is one', async () => {
    const names: string[] = [];
    await ending(setUp({ hooks: recording(names), run: boom }).call());
    expect(names).toEqual(['beforeTool', 'onToolCall', 'onError']);
  });

  test('are told of a denied call only its result', async () => {
    const names: string[] = [];
    await setUp({ hooks: { ...recording(names), beforeTool: () => ({ deny: true, reason: 'no' }) } }).call();
    expect(names).toEqual(['onToolResult denied']);
  });

  test('that throw change nothing, and are logged once a hook', async () => {
    SILENT.warn.mockClear();
    const hooks: Hooks = { onToolCall: boom, onToolResult: async () => boom() };
    const { call } = setUp({ hooks, run: () => 'fine' });
    expect(await ending(call())).toBe('completed');
    expect(await ending(call())).toBe('completed');
    expect(SILENT.warn.mock.calls.map(([message]) => message)).toEqual([
      expect.stringContaining('onToolCall'),
      expect.stringContaining('onToolResult'),
    ]);
  });
});
