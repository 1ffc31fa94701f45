// The command line as its users have it: each command its own process, with a real server and `pawl worker`.

import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runEventSchema } from '../../src/client/event-schema.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import { ensureServer } from '../../src/temporal/background-server.ts';
import { isolatedEnvironment } from '../support/environment.ts';
import { testTemporal } from '../support/server.ts';
import { type Finished, pawl, type Running, startPawl } from './pawl.ts';

const QUESTION = 'What is 19 + 23?';

let home: string;
let env: NodeJS.ProcessEnv;
let worker: Running;
/** A run that is over, and how its command ended. */
const done = randomUUID();
let first: Finished;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'pawl-cli-'));
  const { address, bundlePath } = testTemporal();
  mkdirSync(join(home, 'bundles'));
  cpSync(bundlePath, join(home, 'bundles', basename(bundlePath)));
  env = isolatedEnvironment({ TEMPORAL_ADDRESS: address, PAWL_HOME: home, PAWL_TASK_QUEUE: `cli-${randomUUID()}` });
  worker = startPawl(env, 'worker');
  await worker.saw('the worker is up');
  first = await pawl(env, 'run', '--id', done, QUESTION);
});
afterAll(async () => {
  worker.child.kill('SIGTERM');
  expect((await worker.finished).code).toBe(0);
  rmSync(home, { recursive: true });
});

describe('run', () => {
  it('tells where Temporal is and which model is used, what happens, the answer, and what to type next', () => {
    const { code, stdout, stderr } = first;
    expect(code).toBe(0);
    expect(stderr).toBe('');
    const lines = stdout.split('\n');
    expect(lines[0]).toBe(`Temporal: ${testTemporal().address}, namespace default`);
    expect(lines[1]).toMatch(/^Model: demo, .*ANTHROPIC_API_KEY/);
    expect(stdout).toContain('  → add_numbers {"a":19,"b":23}\n');
    expect(stdout).toMatch(/\n19 \+ 23 = 42\.\n/);
    expect(stdout).toMatch(/\nUsage: \d+ tokens in, \d+ out\n/);
    expect(stdout.split('Next:\n')[1]?.trimEnd().split('\n')).toHaveLength(3);
  });

  it('with --json prints one event a line, and nothing else', async () => {
    const { code, stdout } = await pawl(env, 'run', '--json', QUESTION);
    expect(code).toBe(0);
    const types = eventsOf(stdout).map(({ type }) => type);
    expect(types[0]).toBe('run_started');
    expect(types.at(-1)).toBe('run_finished');
  });

  it('stops at a limit with 3, and says which', async () => {
    const { code, stdout } = await pawl(env, 'run', '--max-iterations', '1', QUESTION);
    expect(code).toBe(3);
    expect(stdout).toMatch(/\nStopped: 1 iterations? used \(limit 1\)\. Spent \d+ tokens\. Last: add_numbers /);
  });

  it('fails with 4 where there is no such agent, and names those that there are', async () => {
    const { code, stdout } = await pawl(env, 'run', '--agent', 'nobody', QUESTION);
    expect(code).toBe(4);
    expect(stdout).toContain('There is no agent "nobody". The agents are: demo.');
  });

  it('refuses an id that is used, with the state of its run', async () => {
    const { code, stderr } = await pawl(env, 'run', '--id', done, QUESTION);
    expect(code).toBe(2);
    expect(stderr).toContain(`The run ${done} exists already and is completed.`);
  });

  it('says within seconds that no worker takes the run, which stays queued', async () => {
    const elsewhere = { ...env, PAWL_TASK_QUEUE: `nobody-${randomUUID()}` };
    const id = randomUUID();
    const { code, stderr } = await pawl(elsewhere, 'run', '--id', id, QUESTION);
    expect(code).toBe(5);
    expect(stderr).toContain(`No worker takes up the run ${id}; it stays queued.`);
    expect(stderr).toMatch(/pawl -- worker\n/);
    const [shown, attached] = await Promise.all([pawl(env, 'show', id), pawl(elsewhere, 'attach', id)]);
    expect(shown.stdout).toContain('Now starting');
    expect(attached.code).toBe(5);
  });

  it('says that no server answers, and what to type', async () => {
    const { code, stderr } = await pawl({ ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' }, 'run', QUESTION);
    expect(code).toBe(5);
    expect(stderr).toContain('No Temporal server answers at 127.0.0.1:1.');
  });

  it('goes on from the conversation that show --messages prints', async () => {
    const file = join(home, 'talk.json');
    writeFileSync(file, (await pawl(env, 'show', done, '--messages')).stdout);
    const { code, stdout } = await pawl(env, 'run', '--messages', file, '--json', 'And what is 1 + 1?');
    expect(code).toBe(0);
    expect(eventsOf(stdout).find(({ type }) => type === 'final_text')).toMatchObject({ text: '1 + 1 = 2.' });
  });

  it('ends without a word when its reader has enough', async () => {
    const { child, finished } = startPawl(env, 'run', '--json', QUESTION);
    child.stdout?.once('data', () => child.stdout?.destroy());
    const { code, stderr } = await finished;
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/EPIPE|This is a fault/);
  });
});

it('a detached run is attached to later, and shown, with the same events', async () => {
  const started = await pawl(env, 'run', '--detach', QUESTION);
  expect(started.code).toBe(0);
  const run = started.stdout.trim();
  expect(started.stderr).toContain(`attach ${run}`);

  const attached = await pawl(env, 'attach', run, '--json');
  expect(attached.code).toBe(0);
  const [start, ...rest] = eventsOf(attached.stdout);
  const [shown, after] = await Promise.all([
    pawl(env, 'show', run, '--json'),
    pawl(env, 'attach', run, '--json', '--after', start?.cursor ?? ''),
  ]);
  expect(shown.stdout).toBe(attached.stdout);
  expect(eventsOf(after.stdout)).toEqual(rest);
});

describe('a chat', () => {
  it('answers what is sent, outlives Ctrl-C on its follower, and ends when it is closed', async () => {
    const run = randomUUID();
    const opened = await pawl(env, 'run', '--chat', '--id', run, QUESTION);
    expect(opened.code).toBe(0);
    expect(opened.stdout).toContain(`send ${run} "…"`);

    const answered = await pawl(env, 'send', run, 'And', 'what is 1 + 1?');
    expect(answered.code).toBe(0);
    expect(answered.stdout).toMatch(/^\n> And what is 1 \+ 1\?\n/);
    expect(answered.stdout).toContain('\n1 + 1 = 2.\n');
    expect(answered.stdout).not.toContain('19 + 23');

    const follower = startPawl(env, 'attach', run);
    await follower.saw('Turn 2 completed');
    follower.child.kill('SIGINT');
    const detached = await follower.finished;
    expect(detached.code).toBe(0);
    expect(detached.stderr).toMatch(new RegExp(`The run ${run} goes on\\.\\n.*attach ${run}`));
    expect((await pawl(env, 'list', '--status', 'running')).stdout).toContain(run);

    expect((await pawl(env, 'close', run)).code).toBe(0);
    expect((await pawl(env, 'attach', run)).code).toBe(0);
    const late = await pawl(env, 'send', run, 'And 2 + 2?');
    expect(late.code).toBe(2);
    expect(late.stderr).toContain(`The run ${run} is closing or over.`);
  });

  it('that is cancelled ends with 6', async () => {
    const run = (await pawl(env, 'run', '--chat', '--detach', QUESTION)).stdout.trim();
    const follower = startPawl(env, 'attach', run);
    await follower.saw('Turn 1 completed');
    expect((await pawl(env, 'cancel', run)).code).toBe(0);
    expect((await follower.finished).code).toBe(6);
  });
});

it('cancel leaves a run that is over as it is', async () => {
  const { code, stderr } = await pawl(env, 'cancel', done);
  expect(code).toBe(0);
  expect(stderr).toBe(`The run ${done} is over already: completed.\n`);
});

it('a run that does not exist is named, with 2', async () => {
  const ended = await Promise.all([pawl(env, 'attach', 'no-such-run'), pawl(env, 'send', 'no-such-run', 'Hi')]);
  for (const { code, stdout, stderr } of ended) {
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('There is no run no-such-run.');
  }
});

it('dev runs a worker until Ctrl-C', async () => {
  const dev = startPawl(env, 'dev');
  await dev.saw('the worker is up');
  dev.child.kill('SIGINT');
  const { code, stdout, stderr } = await dev.finished;
  expect(code).toBe(0);
  expect(stdout + stderr).toContain("state: 'STOPPED'");
});

it('down names the open runs, then stops the embedded server', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-down-'));
  const { temporalCli } = testTemporal();
  const own = isolatedEnvironment({ PAWL_HOME: folder, PAWL_TEMPORAL_CLI: temporalCli });
  const { address } = await ensureServer({ home: folder, temporalCli, download: false }, () => {});
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  await client.workflow.start('agentRun', { workflowId: 'left-open', taskQueue: 'nobody' });
  await vi.waitUntil(async () => (await client.workflow.count()).count === 1);
  await connection.close();

  const first = await pawl(own, 'down');
  expect(first.code).toBe(0);
  expect(first.stdout).toMatch(/^left-open {2}running {2}/);
  expect(first.stderr).toContain('1 open run, to be gone on with after the next start:');
  expect(first.stderr).toContain('Stopped the server.');
  expect((await pawl(own, 'down')).stderr).toBe('Nothing was running.\n');
  rmSync(folder, { recursive: true });
});

function eventsOf(stdout: string): RunEvent[] {
  const lines = stdout.split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => runEventSchema.parse(JSON.parse(line)));
}
