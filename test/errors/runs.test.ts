// Runs that cannot do what was asked: each ends by name, is kept, and costs nobody a workflow task that fails.

import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Finished, pawl, type Running, startPawl } from '../cli/pawl.ts';
import { errorAnswer } from '../fake-model-api/answers.ts';
import { type FakeModelApi, startFakeModelApi } from '../fake-model-api/fake-model-api.ts';
import { isolatedEnvironment } from '../support/environment.ts';
import { lostTasksOf } from '../support/histories.ts';
import { testTemporal } from '../support/server.ts';
import { expectDocumented } from './documented.ts';
import { copyProject, newHome } from './project.ts';

const QUESTION = 'What is 19 + 23?';
const MESSAGES = [{ role: 'user', content: [{ type: 'text', text: 'x'.repeat(5_000_000) }] }];

let home: string;
let api: FakeModelApi;
let connection: Connection;
/** Of a worker without a key, with external storage. */
let keyless: NodeJS.ProcessEnv;
/** Of a worker whose key the API refuses. */
let refused: NodeJS.ProcessEnv;
let workers: readonly Running[];

beforeAll(async () => {
  home = newHome();
  const respond = (request: { body: { model?: unknown } }) =>
    request.body.model === 'nope'
      ? errorAnswer(404, 'not_found_error', 'model: nope', 'req_1')
      : errorAnswer(401, 'authentication_error', 'invalid x-api-key', 'req_1');
  api = await startFakeModelApi({ respond: respond as never });
  const { address } = testTemporal();
  connection = await Connection.connect({ address });
  const common = { TEMPORAL_ADDRESS: address, PAWL_HOME: home };
  keyless = isolatedEnvironment({ ...common, PAWL_TASK_QUEUE: `errors-${randomUUID()}`, PAWL_STORAGE: 'disk' });
  refused = isolatedEnvironment({
    ...common,
    PAWL_TASK_QUEUE: `errors-${randomUUID()}`,
    ANTHROPIC_API_KEY: 'sk-ant-wrong',
    ANTHROPIC_BASE_URL: api.url,
  });
  workers = [startPawl(keyless, 'worker'), startPawl(refused, 'worker')];
  await Promise.all(workers.map((worker) => worker.saw('the worker is up')));
});
afterAll(async () => {
  for (const { child } of workers) child.kill('SIGTERM');
  await Promise.all(workers.map(({ finished }) => finished));
  await Promise.all([connection.close(), api.close()]);
  rmSync(home, { recursive: true });
});

/** Runs, and checks that no workflow task of the run has failed or timed out. */
async function run(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Finished> {
  const id = randomUUID();
  const ended = await pawl(env, 'run', '--id', id, ...args);
  await expectNoFailedTask(id);
  return ended;
}

async function expectNoFailedTask(id: string): Promise<void> {
  expect(await lostTasksOf(new Client({ connection }), id)).toEqual([]);
}

it('an unknown agent', async () =>
  expectDocumented('an unknown agent', await run(keyless, '--agent', 'nobody', QUESTION)));
it('an unknown provider', async () =>
  expectDocumented('an unknown provider', await run(keyless, '--model', 'foo/bar', QUESTION)));
it('a name of no model', async () =>
  expectDocumented('a name of no model', await run(keyless, '--model', 'gpt5', QUESTION)));
it('a missing key', async () =>
  expectDocumented('a missing key', await run(keyless, '--model', 'anthropic/claude-fake-1', QUESTION)));

it('a wrong key, which is tried once', async () => {
  const before = api.requests.length;
  const ended = await run(refused, '--model', 'anthropic/claude-fake-1', QUESTION);
  expectDocumented('a wrong key', ended);
  expect(ended.stdout).not.toContain('sk-ant-wrong');
  expect(api.requests).toHaveLength(before + 1);
});
it('an unknown model, which is tried once', async () => {
  const before = api.requests.length;
  expectDocumented('an unknown model', await run(refused, '--model', 'anthropic/nope', QUESTION));
  expect(api.requests).toHaveLength(before + 1);
});

it('a used run id', async () => {
  const id = randomUUID();
  expect((await pawl(keyless, 'run', '--id', id, QUESTION)).code).toBe(0);
  expectDocumented('a used run id', await pawl(keyless, 'run', '--id', id, QUESTION));
  expectDocumented('a message to a closed run', await pawl(keyless, 'send', id, 'Hi'));
});
it('an unknown run', async () => {
  for (const args of [['show'], ['attach'], ['close'], ['cancel'], ['send']]) {
    const text = args[0] === 'send' ? ['Hi'] : [];
    expectDocumented('an unknown run', await pawl(keyless, ...args, 'no-such-run', ...text));
  }
});

describe('5 MB of messages', () => {
  it('are refused without external storage, before anything is sent', async () => {
    const file = join(home, 'large.json');
    writeFileSync(file, JSON.stringify(MESSAGES));
    const id = randomUUID();
    const without = { ...keyless, PAWL_STORAGE: 'none' };
    expectDocumented(
      '5 MB of messages without external storage',
      await pawl(without, 'run', '--id', id, '--messages', file),
    );
    expectDocumented('an unknown run', await pawl(keyless, 'show', id));
  });

  it('pass with external storage; a command without it says what it lacks', async () => {
    const file = join(home, 'large.json');
    writeFileSync(file, JSON.stringify(MESSAGES));
    const id = randomUUID();
    const ended = await pawl(keyless, 'run', '--id', id, '--messages', file);
    expectDocumented('5 MB of messages with external storage', ended);
    await expectNoFailedTask(id);
    const without = { ...keyless, PAWL_STORAGE: 'none' };
    for (const command of ['show', 'attach']) {
      expectDocumented('a run whose stored payloads are elsewhere', await pawl(without, command, id));
    }
  });
});

it('a worker that lacks a tool of the run', async () => {
  const env = { ...keyless, PAWL_TASK_QUEUE: `errors-${randomUUID()}`, PAWL_STORAGE: 'none' };
  const [id, first] = [randomUUID(), startPawl(env, 'worker')];
  await first.saw('the worker is up');
  expect((await pawl(env, 'run', '--chat', '--id', id, 'Hello.')).code).toBe(0);
  first.child.kill('SIGTERM');
  await first.finished;
  const project = copyProject();
  project.write('src/agents/index.ts', WITHOUT_AGENT);
  const second = project.start(env, 'worker');
  try {
    await second.saw('the worker is up');
    expectDocumented('a worker that lacks a tool of the run', await pawl(env, 'send', id, QUESTION));
    expect((await pawl(env, 'close', id)).code).toBe(0);
    await expectNoFailedTask(id);
  } finally {
    second.child.kill('SIGTERM');
    await second.finished;
    project.remove();
  }
});

const WITHOUT_AGENT = `
import { defineAgent } from './agent.ts';
export const agents = () => [defineAgent({ name: 'other', instructions: '', model: 'demo' })];
`;
