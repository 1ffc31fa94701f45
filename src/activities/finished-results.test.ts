import { CompleteAsyncError, type Info } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Reception } from './complete-attempt.ts';
import { FinishedResults } from './finished-results.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const SILENT = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const ATTEMPT = { activityId: 'c1', scheduledTimestampMs: 1_000, workflowExecution: { workflowId: 'w', runId: 'r' } };
const DELIVERED = 'delivered';
const HOUR_MS = 60 * 60_000;

/** A server that gives these answers, and the last one again and again. */
function setUp({ answers, maxBytes }: { readonly answers: readonly Reception[]; readonly maxBytes?: number }) {
  const left = [...answers];
  const offered: object[] = [];
  const results = new FinishedResults(async (result) => {
    offered.push(result);
    return (left.length > 1 ? left.shift() : left[0]) ?? 'taken';
  }, maxBytes);
  return { results, offered, answer: (...next: Reception[]) => left.splice(0, left.length, ...next) };
}

type Work = () => Promise<object>;

/** An attempt in the worker: what the SDK gets, or that it has nothing left to send. */
function attempt(results: FinishedResults, work: Work, info: Partial<Info> = {}) {
  const env = new MockActivityEnvironment({ ...ATTEMPT, ...info }, { logger: SILENT });
  const ended = env
    .run<[], object, Work>(() => results.deliver(work))
    .catch((error: unknown) => {
      if (error instanceof CompleteAsyncError) return DELIVERED;
      throw error;
    });
  return { env, ended };
}

function worker(text = 'done') {
  return vi.fn(async () => ({ text }));
}

test('a result that the server takes is delivered once, and nothing is left of it', async () => {
  const { results, offered } = setUp({ answers: ['taken'] });
  const work = worker();
  expect(await attempt(results, work).ended).toBe(DELIVERED);
  expect(offered).toEqual([{ text: 'done' }]);
  await attempt(results, work).ended;
  expect(work).toHaveBeenCalledTimes(2);
});

test('a server that is away is offered the result until it is back', async () => {
  const { results, offered } = setUp({ answers: ['not_now', 'not_now', 'not_now', 'taken'] });
  const work = worker();
  const { ended } = attempt(results, work);
  await vi.runAllTimersAsync();
  expect(await ended).toBe(DELIVERED);
  expect(offered).toHaveLength(4);
  expect(work).toHaveBeenCalledTimes(1);
});

test('the next attempt delivers the result of one that was over, and runs nothing', async () => {
  const { results, offered } = setUp({ answers: ['over', 'taken'] });
  const work = worker();
  expect(await attempt(results, work).ended).toBe(DELIVERED);
  expect(await attempt(results, work, { attempt: 2 }).ended).toBe(DELIVERED);
  expect(work).toHaveBeenCalledTimes(1);
  expect(offered).toEqual([{ text: 'done' }, { text: 'done' }]);
});

test('an attempt that comes while the one before it is still offering gets the same result', async () => {
  const { results, answer } = setUp({ answers: ['not_now'] });
  const work = worker();
  const first = attempt(results, work);
  await vi.advanceTimersByTimeAsync(0);
  answer('taken');
  expect(await attempt(results, work, { attempt: 2 }).ended).toBe(DELIVERED);
  answer('over');
  await vi.runAllTimersAsync();
  expect(await first.ended).toBe(DELIVERED);
  expect(work).toHaveBeenCalledTimes(1);
});

test.each<[string, Partial<Info>]>([
  ['of the same id, scheduled later', { scheduledTimestampMs: 2_000 }],
  ['of another id', { activityId: 'c2' }],
  ['of another link', { workflowExecution: { workflowId: 'w', runId: 'r2' } }],
])('an activity %s is run for itself', async (_name, other) => {
  const { results } = setUp({ answers: ['over', 'taken'] });
  const work = worker();
  await attempt(results, work).ended;
  await attempt(results, work, other).ended;
  expect(work).toHaveBeenCalledTimes(2);
});

test('a result that the server refuses is left to the SDK, and not kept', async () => {
  const { results } = setUp({ answers: ['refused'] });
  const work = worker();
  expect(await attempt(results, work).ended).toEqual({ text: 'done' });
  await attempt(results, work).ended;
  expect(work).toHaveBeenCalledTimes(2);
});

test('an attempt that is stopped while it offers leaves its result to the SDK and to the next attempt', async () => {
  const { results, offered, answer } = setUp({ answers: ['not_now'] });
  const work = worker();
  const { env, ended } = attempt(results, work);
  await vi.advanceTimersByTimeAsync(0);
  env.cancel('TIMED_OUT');
  expect(await ended).toEqual({ text: 'done' });
  const before = offered.length;
  await vi.runAllTimersAsync();
  expect(offered).toHaveLength(before);
  answer('taken');
  expect(await attempt(results, work, { attempt: 2 }).ended).toBe(DELIVERED);
  expect(work).toHaveBeenCalledTimes(1);
});

test('what an attempt says of itself when it is stopped is neither offered nor kept', async () => {
  const { results, offered } = setUp({ answers: ['taken'] });
  let stop = () => undefined as unknown;
  const { env, ended } = attempt(results, async () => {
    await new Promise<void>((resolve) => {
      stop = resolve;
    });
    return { text: 'unknown' };
  });
  env.cancel('WORKER_SHUTDOWN');
  stop();
  expect(await ended).toEqual({ text: 'unknown' });
  expect(offered).toEqual([]);
  await attempt(results, worker()).ended;
  expect(offered).toEqual([{ text: 'done' }]);
});

test('an attempt that fails goes the usual way', async () => {
  const { results, offered } = setUp({ answers: ['taken'] });
  const work = async () => {
    throw new Error('no luck');
  };
  await expect(attempt(results, work).ended).rejects.toThrow('no luck');
  expect(offered).toEqual([]);
});

test('a local activity goes the usual way', async () => {
  const { results, offered } = setUp({ answers: ['taken'] });
  expect(await attempt(results, worker(), { isLocal: true }).ended).toEqual({ text: 'done' });
  expect(offered).toEqual([]);
});

test('a result over one MiB is left to the SDK, which knows what the server takes', async () => {
  const { results, offered } = setUp({ answers: ['taken'] });
  const text = 'x'.repeat(1024 * 1024);
  expect(await attempt(results, worker(text)).ended).toEqual({ text });
  expect(offered).toEqual([]);
});

test('the memory of a worker is bounded: the oldest results go first', async () => {
  const { results } = setUp({ answers: ['over'], maxBytes: 3_000 });
  const ids = ['a', 'b', 'c', 'd'];
  for (const activityId of ids) await attempt(results, worker('x'.repeat(900)), { activityId }).ended;
  const again = worker();
  for (const activityId of ids.toReversed()) await attempt(results, again, { activityId }).ended;
  expect(again).toHaveBeenCalledTimes(1);
});

test('a result is kept for an hour', async () => {
  const { results } = setUp({ answers: ['over'] });
  const work = worker();
  await attempt(results, work).ended;
  const keptAtMs = performance.now();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(keptAtMs + HOUR_MS - 1_000);
  await vi.runAllTimersAsync();
  await attempt(results, work).ended;
  expect(work).toHaveBeenCalledTimes(1);
  clock.mockReturnValue(keptAtMs + 2 * HOUR_MS);
  await vi.runAllTimersAsync();
  await attempt(results, work).ended;
  expect(work).toHaveBeenCalledTimes(2);
});
