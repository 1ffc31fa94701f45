import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.ts';
import { down, findTarget } from '../src/temporal/background.ts';
import { ensureServer } from '../src/temporal/background-server.ts';
import { ensureWorker } from '../src/temporal/background-worker.ts';
import { connectClient, isServing } from '../src/temporal/connection.ts';
import { type HomeFiles, homeFiles } from '../src/temporal/home-files.ts';
import { isIdle, stopIdleServer } from '../src/temporal/idle.ts';
import { isListening } from '../src/temporal/ports.ts';
import { isAlive, ownIdentity, stopProcess } from '../src/temporal/process-identity.ts';
import { isolatedEnvironment, ROOT } from './support/environment.ts';
import { testTemporal } from './support/server.ts';

let home: string;
let files: HomeFiles;
let said: string[];
const say = (line: string) => said.push(line);

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pawl-home-'));
  files = homeFiles(home);
  symlinkSync(dirname(testTemporal().bundlePath), files.bundles); // built once, not for each test
  said = [];
});
afterEach(async () => {
  await down({ home });
  rmSync(home, { recursive: true, force: true });
});

const config = (own: Record<string, string> = {}) =>
  readConfig(isolatedEnvironment({ PAWL_HOME: home, PAWL_TEMPORAL_CLI: testTemporal().temporalCli, ...own }), ROOT);

function serverProcess() {
  const record = files.server.read();
  if (record === undefined) throw new Error('no server was started');
  return record.process;
}

function workerProcess() {
  const record = files.worker.read();
  if (record === undefined) throw new Error('no worker was started');
  return record.process;
}

describe('the embedded server', () => {
  it('is one, also when two commands ask for it at the same time', async () => {
    const [first, second] = await Promise.all([ensureServer(config(), say), ensureServer(config(), say)]);
    expect(second).toEqual(first);
    const started = serverProcess();
    await ensureServer(config(), say);
    expect(serverProcess()).toEqual(started);
  });

  it('keeps closed runs for 90 days and knows the search attributes', async () => {
    const connection = await connectClient(await ensureServer(config(), say));
    const { config: namespace } = await connection.workflowService.describeNamespace({ namespace: 'default' });
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
    await connection.close();
    expect(Number(namespace?.workflowExecutionRetentionTtl?.seconds)).toBe(90 * 24 * 3_600);
    expect(Object.keys(customAttributes ?? {})).toEqual(
      expect.arrayContaining([
        'PawlAgent',
        'PawlStatus',
        'PawlModel',
        'PawlTenant',
        'PawlTokens',
        'PawlCostUsd',
        'PawlWaiting',
      ]),
    );
  });

  it('comes back with its data and its address after it was killed', async () => {
    const target = await ensureServer(config(), say);
    const connection = await connectClient(target);
    await new Client({ connection }).workflow.start('agentRun', { taskQueue: 'nobody', workflowId: 'kept' });
    await connection.close();
    process.kill(serverProcess().pid, 'SIGKILL');
    await stopProcess(serverProcess(), 5_000);

    expect(await ensureServer(config(), say)).toEqual(target);
    const again = await connectClient(target);
    const { status } = await new Client({ connection: again }).workflow.getHandle('kept').describe();
    await again.close();
    expect(status.name).toBe('RUNNING');
  });

  it('is left alone by a record whose process id belongs to somebody else now', async () => {
    const { pid } = ownIdentity();
    const process = { pid, started: 'at another time' };
    files.server.write({ process, port: 1, uiPort: 2, ready: true });
    const target = await ensureServer(config(), say);
    expect(await isServing(target.address)).toBe(true);
    expect(isAlive(ownIdentity())).toBe(true);
  });

  it('ends with down', async () => {
    const { address } = await ensureServer(config(), say);
    const server = serverProcess();
    expect(await down({ home })).toEqual({ worker: false, server: true });
    expect(isAlive(server)).toBe(false);
    expect(await isListening(Number(address.split(':')[1]), 1_000)).toBe(false);
    expect(await down({ home })).toEqual({ worker: false, server: false });
  });
});

describe('the background worker', () => {
  const onSharedServer = (own: Record<string, string> = {}) =>
    config({ TEMPORAL_ADDRESS: testTemporal().address, ...own });
  const start = async (settings = onSharedServer()) => ensureWorker(settings, await findTarget(settings, say), say);

  it('is one, also when two commands ask for it at the same time, and ends with down', async () => {
    await Promise.all([start(), start()]);
    const worker = workerProcess();
    await start();
    expect(workerProcess()).toEqual(worker);
    expect(said).toEqual([]);
    expect(await down({ home })).toEqual({ worker: true, server: false });
    expect(isAlive(worker)).toBe(false);
  });

  it('is replaced, with a word, when the settings have changed', async () => {
    await start();
    const old = workerProcess();
    await start(onSharedServer({ ANTHROPIC_API_KEY: 'sk-ant-test' }));
    expect(isAlive(old)).toBe(false);
    expect(isAlive(workerProcess())).toBe(true);
    expect(said).toEqual([expect.stringContaining('settings have changed')]);
  });

  it('is told apart from an older one by its sources', async () => {
    await start();
    const record = files.worker.read();
    if (record === undefined) throw new Error('no worker was started');
    files.worker.write({ ...record, sources: 'older' });
    await start();
    expect(isAlive(record.process)).toBe(false);
    expect(said).toEqual([expect.stringContaining('sources have changed')]);
  });

  it('tells why it does not start', async () => {
    const { environment, ...settings } = onSharedServer();
    const broken = { ...settings, environment: { ...environment, PAWL_LOG: 'loud' } };
    await expect(start(broken)).rejects.toThrow('PAWL_LOG: "loud"');
  });
});

describe('being idle', () => {
  it('means no open run, none just closed, and no command', async () => {
    const target = await ensureServer(config(), say);
    const connection = await connectClient(target);
    const idle = (idleMs: number) => isIdle({ config: config(), target, connection, idleMs });
    expect(await idle(60_000)).toBe(false); // the command was a moment ago
    files.lastUse.write({ atMs: 0 });
    expect(await idle(60_000)).toBe(true);

    const { workflow } = new Client({ connection });
    const handle = await workflow.start('agentRun', { taskQueue: 'nobody', workflowId: 'open' });
    await expect.poll(() => idle(60_000)).toBe(false);
    await handle.terminate();
    await expect.poll(() => idle(-60_000)).toBe(true); // as a minute later
    expect(await idle(60_000)).toBe(false);
    await connection.close();
  });

  it('stops the embedded server, but not one that a command has just asked for', async () => {
    const target = await ensureServer(config(), say);
    const connection = await connectClient(target);
    await stopIdleServer({ config: config(), target, connection });
    expect(isAlive(serverProcess())).toBe(true);
    files.lastUse.write({ atMs: 0 });
    await stopIdleServer({ config: config(), target, connection });
    expect(isAlive(serverProcess())).toBe(false);
    await connection.close();
  });
});
