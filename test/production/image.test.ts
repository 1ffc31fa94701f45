// The worker's image, as far as it goes without Docker: what the Dockerfile says, and its build and commands in a folder
// that holds only what it copies.

import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isolatedEnvironment, ROOT } from '../support/environment.ts';
import { testTemporal } from '../support/server.ts';
import { composeText, parseCompose, serviceOf } from './compose-file.ts';
import { readDockerfile } from './dockerfile.ts';

const run = promisify(execFile);
const dockerfile = readDockerfile(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
const sources = dockerfile.copies.flatMap((copy) => copy.sources);

describe('the Dockerfile', () => {
  test('copies what is there, and what .dockerignore lets through', () => {
    const letThrough = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    expect(sources.filter((source) => !existsSync(join(ROOT, source)))).toEqual([]);
    expect(sources.filter((source) => !letThrough.includes(`!${source}`))).toEqual([]);
    expect(letThrough.filter((line) => line.startsWith('!') && !sources.includes(line.slice(1)))).toEqual([]);
  });

  test('builds on a Node that Pawl runs on, the same as docker-compose.yml', () => {
    const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { engines: { node: string } };
    const image = dockerfile.args['NODE_IMAGE'];
    expect(dockerfile.bases).toEqual([image, image]);
    expect(Number(/^node:(\d+)-/.exec(image ?? '')?.[1])).toBeGreaterThan(Number(/^>=(\d+)/.exec(engines.node)?.[1]));
    expect(serviceOf(parseCompose(composeText()), 'worker').build?.args).toEqual({ NODE_IMAGE: image });
  });

  test('starts the worker as a user without rights, under an init that ends it before it listens for signals', () => {
    expect(dockerfile.user).toBe('node');
    expect(dockerfile.entrypoint).toEqual(['tini', '--']);
    expect(dockerfile.command).toEqual(['node', '--import', 'tsx', 'worker.ts']);
  });
});

describe('what the image holds', () => {
  const image = mkdtempSync(join(tmpdir(), 'pawl-image-'));
  const home = join(image, 'home');

  const environment = () =>
    isolatedEnvironment({
      ...dockerfile.environment,
      PAWL_HOME: home,
      PAWL_TASK_QUEUE: `test-${randomUUID()}`,
      TEMPORAL_ADDRESS: testTemporal().address,
      TEMPORAL_NAMESPACE: 'default',
    });

  beforeAll(async () => {
    const isForImage = (path: string) => !path.endsWith('.test.ts');
    for (const { sources, target } of dockerfile.copies) {
      for (const source of sources) {
        const isFolder = statSync(join(ROOT, source)).isDirectory();
        const to = isFolder ? join(image, target) : join(image, target, source);
        cpSync(join(ROOT, source), to, { recursive: true, filter: isForImage });
      }
    }
    symlinkSync(join(ROOT, 'node_modules'), join(image, 'node_modules'));
    await run('node', ['--import', 'tsx', 'deploy/prebuild.ts'], { cwd: image, env: environment() });
  });

  afterAll(() => rmSync(image, { recursive: true }));

  const health = (env: NodeJS.ProcessEnv) => {
    const [command = '', ...parameters] = dockerfile.health;
    return run(command, parameters, { cwd: image, env });
  };

  test('is enough for a worker, which finds its bundle, becomes healthy, and ends cleanly on SIGTERM', async () => {
    const prebuilt = readdirSync(join(home, 'bundles'));
    expect(prebuilt).toHaveLength(1);
    const env = environment();
    const [command = '', ...parameters] = dockerfile.command;
    const worker = spawn(command, parameters, { cwd: image, env, stdio: 'ignore' });
    try {
      await vi.waitFor(() => health(env), { timeout: 50_000, interval: 500 });
      expect(readdirSync(join(home, 'bundles'))).toEqual(prebuilt);
      worker.kill('SIGTERM');
      expect(await once(worker, 'exit')).toEqual([0, null]);
    } finally {
      worker.kill('SIGKILL');
    }
  });

  test('is not healthy without a worker on the queue, and says so', async () => {
    await expect(health(environment())).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^no worker of this host polls the queue test-/),
    });
  });

  test('has the command line', async () => {
    const { stdout } = await run('node', ['bin/pawl.mjs', 'list', '--help'], { cwd: image, env: environment() });
    expect(stdout).toContain('list runs');
  });
});
