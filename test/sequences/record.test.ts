// `pawl record` as its users have it: a process of its own, and a file that a test replays without a provider.

import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { demoAgent } from '../../src/agents/demo.ts';
import { readConfig } from '../../src/config.ts';
import { playRun, readSequence, replayAdapter } from '../../src/testing/testing.ts';
import { pawl, startPawl } from '../cli/pawl.ts';
import { type FakeModelApi, startFakeModelApi } from '../fake-model-api/fake-model-api.ts';
import { answer, text } from '../fake-model-api/samples.ts';
import { isolatedEnvironment } from '../support/environment.ts';
import { testTemporal } from '../support/server.ts';

const QUESTION = 'What time is it in Seoul, and what is 19 + 23?';
const API_KEY = 'a-key-of-no-known-form';
const UNANSWERED = 'A question that is never answered';
const PASSWORD = 'correct-horse-battery';

let home: string;
let env: NodeJS.ProcessEnv;
let fake: FakeModelApi;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'pawl-record-'));
  const { address, bundlePath } = testTemporal();
  mkdirSync(join(home, 'bundles'));
  cpSync(bundlePath, join(home, 'bundles', basename(bundlePath)));
  const told = answer(text(`Your key is ${API_KEY}, your password ${PASSWORD}.`));
  fake = await startFakeModelApi({
    respond: ({ body }) =>
      JSON.stringify(body).includes(UNANSWERED) ? { ...told, delay_before_headers_ms: 600_000 } : told,
  });
  env = isolatedEnvironment({
    TEMPORAL_ADDRESS: address,
    PAWL_HOME: home,
    PAWL_TASK_QUEUE: `record-${randomUUID()}`,
    ANTHROPIC_BASE_URL: fake.url,
    ANTHROPIC_API_KEY: API_KEY,
    DATABASE_PASSWORD: PASSWORD,
  });
});
afterAll(async () => {
  await fake.close();
  rmSync(home, { recursive: true });
});

function fileNamed(name: string): string {
  return join(home, name);
}

it('needs no worker, follows the run, and keeps its model calls in a file that replays', async () => {
  const out = fileNamed('demo.jsonl');
  const { code, stdout, stderr } = await pawl(env, 'record', '--out', out, '--model', 'demo', QUESTION);
  expect(stderr).toContain(`2 model calls recorded in ${out}`);
  expect(code).toBe(0);
  expect(stdout).toContain('19 + 23 = 42');
  expect(statSync(out).mode & 0o777).toBe(0o600);

  const { weather } = readConfig({}, home);
  const adapter = replayAdapter(readSequence(out), { varyingTools: ['get_time'] });
  const agent = demoAgent({ model: 'demo', weather });
  const { result, calls } = await playRun({ agent, request: { prompt: QUESTION }, adapter });
  expect(result).toMatchObject({ status: 'completed', iterations: 2 });
  expect(result.text).toContain('19 + 23 = 42');
  expect(calls.map(({ name }) => name).sort()).toEqual(['add_numbers', 'get_time']);
  expect(adapter.left).toBe(0);
});

it('keeps no secret of the environment', async () => {
  const out = fileNamed('secret.jsonl');
  const prompt = `Say ${PASSWORD} again.`;
  const { code, stdout } = await pawl(env, 'record', '--out', out, '--json', '--model', 'claude-fake-1', prompt);
  expect(code).toBe(0);
  expect(stdout).toContain(PASSWORD); // the run itself is not changed
  const recorded = readFileSync(out, 'utf8');
  expect(recorded).toContain('Say [secret removed] again.');
  expect(recorded).toContain('Your key is [secret removed], your password [secret removed].');
  expect(recorded).not.toContain(API_KEY);
  expect(recorded).not.toContain(PASSWORD);
});

it('stops the run at Ctrl-C, since its worker ends with it, and leaves the unfinished call out', async () => {
  const out = fileNamed('stopped.jsonl');
  const id = randomUUID();
  const args = ['record', '--out', out, '--id', id, '--model', 'claude-fake-1', UNANSWERED];
  const asked = fake.waitForRequest(fake.requests.length);
  const { child, finished } = startPawl(env, ...args);
  await Promise.race([asked, finished.then(({ stderr }) => Promise.reject(new Error(`it ended early: ${stderr}`)))]);
  child.kill('SIGINT');
  const { code, stderr } = await finished;
  expect(code).toBe(6);
  expect(stderr).toContain(`The run ${id} is stopped: its worker ends here.`);
  expect(stderr).toContain(`0 model calls recorded in ${out}`);
  expect((await pawl(env, 'show', id)).stdout).toContain('cancelled');
});

it('says at once that the file cannot be written, before anything is asked', async () => {
  const out = fileNamed('nowhere/at-all.jsonl');
  const { code, stderr } = await pawl(env, 'record', '--out', out, QUESTION);
  expect(code).toBe(2);
  expect(stderr).toBe(`--out ${out}: it cannot be written (ENOENT).\n`);
});

it('is used without a file by mistake, and says what is missing', async () => {
  const { code, stderr } = await pawl(env, 'record', QUESTION);
  expect(code).toBe(2);
  expect(stderr).toContain("required option '--out <file>' not specified");
});
