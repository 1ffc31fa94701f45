import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { ModelError } from '../adapters/model-adapter.ts';
import { isWorkerShutdown, retryDelayMs, toActivityFailure } from './failure.ts';

describe('toActivityFailure', () => {
  it('ends a run on a failure that no retry mends', () => {
    const failure = toActivityFailure(new ModelError('auth', 'No key.', { retryable: false, status: 401 }), 1);
    expect(failure).toMatchObject({ type: 'Model.Auth', message: 'No key.', nonRetryable: true });
    expect(failure.nextRetryDelay).toBeUndefined();
  });

  it('waits as long as the provider asks', () => {
    const error = new ModelError('rate_limited', 'Slow.', { retryable: true, retryAfterMs: 2_000 });
    expect(toActivityFailure(error, 4)).toMatchObject({
      type: 'Model.RateLimited',
      nonRetryable: false,
      nextRetryDelay: 2_000,
      category: ApplicationFailureCategory.BENIGN,
    });
  });

  it('backs off where the provider asks for nothing, or for no wait at all', () => {
    for (const retryAfterMs of [undefined, 0]) {
      const error = new ModelError('overloaded', 'Busy.', { retryable: true, retryAfterMs });
      expect(toActivityFailure(error, 1).nextRetryDelay).toBeGreaterThanOrEqual(800);
    }
  });

  it('cuts a long text and shows no cause, which might quote a secret', () => {
    const cause = new Error('secret');
    const failure = toActivityFailure(new ModelError('connection', 'x'.repeat(9_000), { retryable: true, cause }), 1);
    expect(Buffer.byteLength(failure.message)).toBeLessThanOrEqual(4_096);
    expect(failure.cause).toBeUndefined();
  });

  it('retries what nobody foresaw, under its own name and with its stack', () => {
    const failure = toActivityFailure(new TypeError('x is no function'), 1);
    expect(failure).toMatchObject({ type: 'TypeError', message: 'x is no function', nonRetryable: false });
    expect(failure.stack).toContain('failure.test.ts');
  });

  it('takes what is no error at all', () => {
    expect(toActivityFailure('odd', 1)).toMatchObject({ message: 'odd', nonRetryable: false });
  });

  it('hands a failure back unchanged', () => {
    const failure = ApplicationFailure.nonRetryable('no', 'Tool.NotHere');
    expect(toActivityFailure(failure, 1)).toBe(failure);
  });

  it('gives the attempt of a stopping worker to the next one at once', () => {
    const stop = new CancelledFailure('WORKER_SHUTDOWN');
    const error = new ModelError('user_cancelled', 'Cancelled.', { retryable: false, cause: stop });
    for (const thrown of [stop, error]) {
      const expected = { type: 'Worker.Lost', nonRetryable: false, nextRetryDelay: 1 };
      expect(toActivityFailure(thrown, 1)).toMatchObject(expected);
    }
  });
});

describe('isWorkerShutdown', () => {
  it('is no cancel by a person', () => {
    expect(isWorkerShutdown(new CancelledFailure('CANCELLED'))).toBe(false);
    expect(isWorkerShutdown(new Error('WORKER_SHUTDOWN'))).toBe(false);
  });
});

describe('retryDelayMs', () => {
  it('doubles from one second to one minute', () => {
    expect([1, 2, 3, 6, 7, 50].map((attempt) => retryDelayMs(attempt, 0.5))).toEqual([
      1_000, 2_000, 4_000, 32_000, 60_000, 60_000,
    ]);
  });

  it('spreads by a fifth to either side, so that each wait is longer than the one before', () => {
    expect([retryDelayMs(1, 0), retryDelayMs(1, 1), retryDelayMs(2, 0)]).toEqual([800, 1_200, 1_600]);
  });
});
