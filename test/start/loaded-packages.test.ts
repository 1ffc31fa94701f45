// A process loads the packages that it uses, and no other: looked at in processes that really run.

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pawl, startPawl } from '../cli/pawl.ts';
import { isolatedEnvironment, ROOT } from '../support/environment.ts';
import { testTemporal } from '../support/server.ts';
import { loadedPackages } from './loaded-packages.ts';

const PROVIDERS = /^(openai|@google\/genai|@anthropic-ai\/.+)$/;
const WORKER = /^@temporalio\/(worker|core-bridge)$/;

let home: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'pawl-loaded-'));
  const { bundlePath } = testTemporal();
  mkdirSync(join(home, 'bundles'));
  cpSync(bundlePath, join(home, 'bundles', basename(bundlePath)));
});
afterAll(() => rmSync(home, { recursive: true }));

/** An environment in which processes tell what they have loaded. */
function watched(own: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(home, 'coverage-'));
  const env = isolatedEnvironment({
    TEMPORAL_ADDRESS: testTemporal().address,
    PAWL_HOME: home,
    NODE_V8_COVERAGE: folder,
    ...own,
  });
  return { env, loaded: (kind: RegExp) => [...loadedPackages(folder)].filter((name) => kind.test(name)).sort() };
}

describe('a worker', () => {
  it('whose agents use the demo model loads no provider, and what only reads loads no worker either', async () => {
    const queue = { PAWL_TASK_QUEUE: `loaded-${randomUUID()}`, PAWL_MODEL: 'demo' };
    const ofWorker = watched(queue);
    const worker = startPawl(ofWorker.env, 'worker');
    await worker.saw('the worker is up');
    const ofCommands = watched(queue);
    const run = randomUUID();
    expect((await pawl(ofCommands.env, 'run', '--id', run, 'What is 19 + 23?')).code).toBe(0);
    const reading = await Promise.all([pawl(ofCommands.env, 'show', run), pawl(ofCommands.env, 'list')]);
    expect(reading.map(({ code }) => code)).toEqual([0, 0]);
    worker.child.kill('SIGTERM');
    await worker.finished;
    expect(ofWorker.loaded(PROVIDERS)).toEqual([]);
    expect(ofWorker.loaded(WORKER)).not.toEqual([]);
    expect(ofCommands.loaded(PROVIDERS)).toEqual([]);
    expect(ofCommands.loaded(WORKER)).toEqual([]);
    expect(ofCommands.loaded(/^@temporalio\/client$/)).not.toEqual([]);
  });

  it('with an agent of one provider loads that one, before a run asks for it', async () => {
    const queue = { PAWL_TASK_QUEUE: `loaded-${randomUUID()}` };
    const { env, loaded } = watched({ ...queue, PAWL_MODEL: 'openai/gpt-5', OPENAI_API_KEY: 'test-key' });
    const worker = startPawl(env, 'worker');
    await worker.saw('the worker is up');
    worker.child.kill('SIGTERM');
    await worker.finished;
    expect(loaded(PROVIDERS)).toEqual(['openai']);
  });
});

describe('an import of', () => {
  /** The packages of a kind that a process loads whose whole program this is. */
  async function loadedBy(program: string, kind: RegExp): Promise<readonly string[]> {
    const { env, loaded } = watched();
    const node = ['--import', 'tsx', '--input-type=module', '--eval', program];
    await promisify(execFile)(process.execPath, node, { cwd: ROOT, env });
    return loaded(kind);
  }

  it.each([
    ['pawl', /^(openai|@google\/.+|@anthropic-ai\/.+|@temporalio\/.+)$/],
    ['pawl/adapters', /^(openai|@google\/.+|@anthropic-ai\/.+|@temporalio\/.+)$/],
    ['pawl/client', /^(openai|@google\/.+|@anthropic-ai\/.+|@temporalio\/(worker|core-bridge))$/],
    ['pawl/worker', PROVIDERS],
    ['pawl/testing', PROVIDERS],
  ])('%s loads nothing of another realm', async (door, foreign) => {
    expect(await loadedBy(`await import('${door}')`, foreign)).toEqual([]);
  });

  it.each([
    ['createAnthropicAdapter', ['@anthropic-ai/sdk']],
    ['createOpenAiAdapter', ['openai']],
    ['createGoogleAdapter', ['@google/genai']],
  ])('%s, prepared, loads its own SDK', async (create, sdks) => {
    const program = `const { ${create} } = await import('pawl/adapters'); await ${create}({ apiKey: 'k' }).prepare()`;
    expect(await loadedBy(program, PROVIDERS)).toEqual(sdks);
  });
});
