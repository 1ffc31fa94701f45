import { expect, test } from 'vitest';
import { fakeTerminal } from '../../test/cli/fake-terminal.ts';
import type { RunEvent } from '../protocol/events.ts';
import { follow } from './follow.ts';

const at = { cursor: '1.5.30', at: '2026-11-29T12:00:00.000Z', run: 'run-1', turn: 1 };
const said = (requestId: string): RunEvent => ({ ...at, type: 'user_message', prompt: requestId, requestId });
const finished = (queued: number): RunEvent => ({
  ...at,
  type: 'turn_finished',
  status: 'limit_reached',
  iterations: 1,
  queued,
});

test('the following begins and ends with the events that are wanted, and gives the status', async () => {
  const cli = fakeCli();
  const events = [said('a'), finished(1), said('b'), finished(0), said('c')];
  const ending = await follow(cli, clientOf(events), {
    run: 'run-1',
    format: 'json',
    from: (event) => event.type === 'user_message' && event.requestId === 'b',
    until: (event) => event.type === 'turn_finished',
  });
  expect(ending).toEqual({ type: 'ended', status: 'limit_reached' });
  expect(cli.stdout.map((line) => JSON.parse(line))).toEqual([said('b'), finished(0)]);
  expect(cli.stderr).toEqual([]);
});

test('where nobody takes up the run, nothing is printed and nothing is waited for', async () => {
  const cli = fakeCli();
  const client = { ...clientOf([said('a')]), waitForWorker: () => Promise.resolve(false) };
  expect(await follow(cli, client, { run: 'run-1', format: 'text', until: () => false })).toEqual({
    type: 'no_worker',
  });
  expect(cli.stdout).toEqual([]);
});

test('Ctrl-C detaches, whether the reading then ends quietly or with an error', async () => {
  for (const fails of [false, true]) {
    const cli = fakeCli();
    const events = async function* (_run: string, { signal }: { readonly signal?: AbortSignal }) {
      yield said('a');
      cli.interrupt();
      if (fails) signal?.throwIfAborted();
    };
    const client = { ...clientOf([]), events };
    expect(await follow(cli, client, { run: 'run-1', format: 'json', until: () => false })).toEqual({
      type: 'detached',
    });
    expect(cli.stdout).toHaveLength(1);
    expect(cli.listeners).toBe(0);
  }
});

test('an error that nobody asked for passes through, and Ctrl-C is given back', async () => {
  const cli = fakeCli();
  const client = { ...clientOf([]), waitForWorker: () => Promise.reject(new Error('boom')) };
  await expect(follow(cli, client, { run: 'run-1', format: 'json', until: () => false })).rejects.toThrow('boom');
  expect(cli.listeners).toBe(0);
});

function clientOf(events: readonly RunEvent[]) {
  return {
    waitForWorker: () => Promise.resolve(true),
    events: async function* () {
      yield* events;
    },
  };
}

function fakeCli() {
  const listeners = new Set<() => void>();
  return {
    ...fakeTerminal(),
    get listeners() {
      return listeners.size;
    },
    interrupt: () => {
      for (const listener of listeners) listener();
    },
    onInterrupt: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
