import type { Middleware } from '@anthropic-ai/sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CredentialsFailure, foundIn, searching, setting } from './anthropic-cloud.ts';

type Request = Parameters<Middleware>[0];
type Context = Parameters<Middleware>[2];

const CONTEXT = {} as Context;
const never = <T>() => new Promise<T>(() => {});

function requestWith(signal?: AbortSignal): Request {
  return { url: 'http://127.0.0.1/', method: 'POST', headers: new Headers(), signal } as Request;
}

describe('a setting', () => {
  it('is its value', () => {
    expect(setting('eu', 'REGION', 'where')).toBe('eu');
  });

  it.each([undefined, ''])('that is not there (%j) is named, and not waited for', (value) => {
    const named = { kind: 'not_found', retryable: false, message: 'REGION is not set: it names where to ask.' };
    expect(() => setting(value, 'REGION', 'where to ask')).toThrow(expect.objectContaining(named));
  });
});

describe('a search for credentials', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('gives what it finds, and leaves no timer', async () => {
    expect(await foundIn(Promise.resolve('token'))).toBe('token');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that fails says why, and leaves no timer', async () => {
    const reason = new Error('no file');
    await expect(foundIn(Promise.reject(reason))).rejects.toMatchObject({ name: 'CredentialsFailure', reason });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends after twenty seconds', async () => {
    const search = foundIn(never());
    const failure = expect(search).rejects.toMatchObject({ reason: { message: expect.stringContaining('timed out') } });
    await vi.advanceTimersByTimeAsync(19_999);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await failure;
  });

  it('ends with an abort', async () => {
    const controller = new AbortController();
    const search = foundIn(never(), controller.signal);
    controller.abort(new Error('enough'));
    await expect(search).rejects.toMatchObject({ reason: { message: 'enough' } });
  });
});

describe('a client that searches', () => {
  const answer = new Response('whole');

  it('sends what was signed, and may take its time with the answer', async () => {
    const sent: string[] = [];
    const sign: Middleware = (request, next) => next({ ...request, url: `${request.url}signed` });
    const send = async ({ url }: Request) => {
      sent.push(url);
      return answer;
    };
    expect(await searching(sign)(requestWith(), send, CONTEXT)).toBe(answer);
    expect(sent).toEqual(['http://127.0.0.1/signed']);
  });

  it('hands a failure of the request on as it is', async () => {
    const reset = new Error('reset');
    const sign: Middleware = (request, next) => next(request);
    await expect(searching(sign)(requestWith(), () => Promise.reject(reset), CONTEXT)).rejects.toBe(reset);
  });

  it('sends nothing when credentials come after it has given up', async () => {
    let arrive = () => {};
    const late = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const signing = vi.fn<Middleware>(async (request, next) => {
      await late;
      return next(request);
    });
    const send = vi.fn(async () => answer);
    const controller = new AbortController();
    const asked = searching(signing)(requestWith(controller.signal), send, CONTEXT);
    controller.abort(new Error('enough'));
    await expect(asked).rejects.toBeInstanceOf(CredentialsFailure);
    arrive();
    await Promise.allSettled(signing.mock.results.map(({ value }) => value));
    expect(send).not.toHaveBeenCalled();
  });
});
