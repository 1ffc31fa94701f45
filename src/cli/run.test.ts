import { expect, test } from 'vitest';
import { fakeTerminal } from '../../test/cli/fake-terminal.ts';
import { readConfig } from '../config.ts';
import type { RunEvent } from '../protocol/events.ts';
import { NO_USAGE, type RunRequest, type Status } from '../protocol/run.ts';
import type { Cli, Runs } from './cli.ts';
import { run } from './run.ts';

const at = { cursor: '1.5.30', at: '2026-11-29T12:00:00.000Z', run: 'run-1', turn: 1 };
const usage = { ...NO_USAGE, inputTokens: 50, outputTokens: 7 };

test('a run is told from where Temporal is to what may be typed next', async () => {
  const { cli, stdout, stderr } = fakeCli({});
  expect(await run(cli, ['What', 'time?'], { agent: 'demo' })).toBe(0);
  expect(stderr).toEqual([]);
  expect(stdout.join('\n')).toBe(`Temporal: embedded server on 127.0.0.1:4000, UI at http://127.0.0.1:5000
Model: demo, which is offline and rule-based. To use Claude, put ANTHROPIC_API_KEY=… into .env
Run run-1 (demo, demo/demo)
> What time?

Noon.

Usage: 50 tokens in, 7 out
Turn 1 completed after 1 iteration
Run completed after 1 turn
In the Temporal UI: http://127.0.0.1:5000/namespaces/default/workflows/run-1/first/history

Next:
  pawl show run-1                             read this run again
  pawl run --chat "What time is it in Lima?"  start a conversation
  pawl list                                   see all runs`);
});

test('the request that is started is the one that was typed', async () => {
  const { cli, requests } = fakeCli({});
  await run(cli, ['Hi'], { agent: 'a', id: 'mine', maxIterations: 2 });
  expect(requests).toEqual([
    [{ agent: 'a', prompt: 'Hi', limits: { maxIterations: 2 }, mode: 'task' }, { id: 'mine' }],
  ]);
});

test('the status of the run decides the exit code', async () => {
  const codes: Record<string, number> = {};
  for (const status of ['completed', 'limit_reached', 'failed', 'cancelled'] as const) {
    codes[status] = await run(fakeCli({ status }).cli, ['Hi'], { agent: 'demo', json: true });
  }
  expect(codes).toEqual({ completed: 0, limit_reached: 3, failed: 4, cancelled: 6 });
});

test('with --json only events are on stdout', async () => {
  const { cli, stdout, stderr } = fakeCli({});
  await run(cli, ['Hi'], { agent: 'demo', json: true });
  expect(stdout.map((line) => JSON.parse(line).type)).toEqual(eventsOf('completed').map(({ type }) => type));
  expect(stderr[0]).toMatch(/^Temporal: /);
});

test('with --detach only the id is on stdout, and the run is not followed', async () => {
  const { cli, stdout, stderr } = fakeCli({ status: 'failed' });
  expect(await run(cli, ['Hi'], { agent: 'demo', detach: true })).toBe(0);
  expect(stdout).toEqual(['run-1']);
  expect(stderr.at(-1)).toContain('pawl attach run-1');
});

test('where there is no worker the id is told, what to type, and 5', async () => {
  const { cli, stderr } = fakeCli({ hasWorker: false });
  expect(await run(cli, ['Hi'], { agent: 'demo' })).toBe(5);
  expect(stderr.join('\n')).toMatch(/No worker takes up the run run-1; it stays queued\. Start a worker: pawl worker/);
});

test('a chat ends with its first turn, and says how to go on', async () => {
  const { cli, stdout } = fakeCli({});
  expect(await run(cli, ['Hi'], { agent: 'demo', chat: true })).toBe(0);
  expect(stdout.join('\n')).not.toContain('Run completed');
  expect(stdout.at(-1)).toContain('pawl send run-1 "…"');
});

test('the model is not spoken of where it was chosen', async () => {
  const { cli, stdout } = fakeCli({});
  await run(cli, ['Hi'], { agent: 'demo', model: 'demo' });
  expect(stdout.join('\n')).not.toContain('Model:');
});

interface World {
  readonly status?: Status;
  readonly hasWorker?: boolean;
}

function fakeCli({ status = 'completed', hasWorker = true }: World) {
  const requests: unknown[] = [];
  const client = {
    start: (request: RunRequest, options: { readonly id?: string }) => {
      requests.push([request, options]);
      return Promise.resolve({ run: 'run-1', firstExecutionRunId: 'first' });
    },
    waitForWorker: () => Promise.resolve(hasWorker),
    events: async function* () {
      yield* eventsOf(status);
    },
  };
  const target = {
    address: '127.0.0.1:4000',
    namespace: 'default',
    connectionOptions: {},
    uiUrl: 'http://127.0.0.1:5000',
    source: 'embedded',
  } as const;
  const config = readConfig({}, import.meta.dirname);
  const connected = { client: client as Partial<Runs> as Runs, config, target, close: () => Promise.resolve() };
  const fake = fakeTerminal();
  const cli: Cli = {
    terminal: fake.terminal,
    pawl: 'pawl',
    root: import.meta.dirname,
    config: () => Promise.resolve(config),
    connect: () => Promise.resolve(connected),
    open: () => Promise.resolve(connected),
    onInterrupt: () => () => {},
  };
  return { ...fake, cli, requests };
}

function eventsOf(status: Status): RunEvent[] {
  const lastState = { text: '', lastCalls: [] };
  const ended = { status, text: 'Noon.', iterations: 1, usage, costUsdMicros: null, lastState };
  return [
    { ...at, type: 'run_started', agent: 'demo', model: 'demo/demo', prompt: 'What time?' },
    { ...at, type: 'assistant_text', text: 'Noon.' },
    { ...at, type: 'usage', usage: { turn: usage, total: usage }, costUsdMicros: { turn: null, total: null } },
    { ...at, type: 'final_text', text: 'Noon.' },
    { ...at, type: 'turn_finished', status, iterations: 1, queued: 0 },
    { ...at, type: 'run_finished', result: { ...ended, turns: 1, transcript: { length: 2, digest: '' } } },
  ];
}
