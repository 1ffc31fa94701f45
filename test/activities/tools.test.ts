import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import type { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, type Logger } from '@temporalio/common';
import { Runtime } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leaseFileName } from '../../src/activities/lease-file.ts';
import { takeOver } from '../../src/activities/take-over.ts';
import { type CallToolInput, FAILURES, type ToolResult } from '../../src/protocol/activities.ts';
import type { Effect } from '../../src/protocol/snapshot.ts';
import { identityOf, isAlive, ownIdentity } from '../../src/temporal/process-identity.ts';
import { defineTool, type Tool, type ToolCall } from '../../src/tools/tool.ts';
import { type ActivityServer, startServer } from './server.ts';

let server: ActivityServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

/** Longer than any test here: a test that ends sooner was not rescued by it. */
const HEARTBEAT_TIMEOUT_MS = 30_000;

function input(parts: Partial<CallToolInput> = {}): CallToolInput {
  return { callId: 'c1', input: {}, agent: 'tester', maxResultBytes: 10_000, turn: 1, iteration: 1, ...parts };
}

function tool(effect: Effect, run: (call: ToolCall) => unknown, parts: { quick?: boolean } = {}): Tool {
  const schema = { type: 'object' as const };
  return defineTool({
    name: 'probe',
    description: 'a probe',
    input: schema,
    effect,
    run: (_, call) => run(call),
    ...parts,
  });
}

async function start(taskQueue: string): Promise<{ result(): Promise<ToolResult>; cancel(): Promise<unknown> }> {
  return await server.env.client.workflow.start('callTool', {
    taskQueue,
    workflowId: randomUUID(),
    args: ['probe', input(), HEARTBEAT_TIMEOUT_MS],
  });
}

/** Settles when the test's handler says so. */
function signal<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value) => settle(value) };
}

test('a handler that always throws is run as often as it may fail, and attempts lost on the way do not count', async () => {
  const taskQueue = randomUUID();
  const attempts: number[] = [];
  const probe = tool('idempotent', async ({ attempt }) => {
    attempts.push(attempt);
    if (attempt !== 2) throw new Error('no luck');
    const lost = ApplicationFailure.create({ type: FAILURES.workerLost, nextRetryDelay: 1 });
    await server.env.client.activity.fail(Context.current().info.taskToken, lost);
    throw new Error('the attempt was over before this');
  });
  const stop = await server.startWorker(taskQueue, { tools: [probe] });
  const result = await (await start(taskQueue)).result();
  expect(attempts).toEqual([1, 2, 3, 4]);
  expect(result).toMatchObject({ outcome: 'failed', attempt: 4 });
  await stop();
});

test('a quick tool runs as a local activity through the same dispatcher', async () => {
  const taskQueue = randomUUID();
  const probe = tool('read', () => `local: ${Context.current().info.isLocal}`, { quick: true });
  const stop = await server.startWorker(taskQueue, { tools: [probe] });
  const result = await server.env.client.workflow.execute('callQuickTool', {
    taskQueue,
    workflowId: randomUUID(),
    args: ['probe', input({ quick: true })],
  });
  expect(result).toMatchObject({ outcome: 'completed', content: [{ text: 'local: true' }] });
  await stop();
});

test('a cancel aborts the handler', async () => {
  const taskQueue = randomUUID();
  const [started, abortedBy] = [signal<void>(), signal<unknown>()];
  const probe = tool('once', ({ signal }) => {
    signal.addEventListener('abort', () => abortedBy.resolve(signal.reason));
    started.resolve();
    return new Promise(() => undefined);
  });
  const stop = await server.startWorker(taskQueue, { tools: [probe] });
  const run = await start(taskQueue);
  await started.promise;
  await run.cancel();
  await expect(run.result()).rejects.toThrow('cancelled');
  // Where the run has already ended, the server knows the attempt no longer.
  expect(await abortedBy.promise).toMatchObject({ message: expect.stringMatching(/CANCELLED|NOT_FOUND/) });
  await stop();
});

/** The result of a call whose worker stops while its handler hangs. On the next worker the handler would end at once. */
async function resultAfterStop(effect: 'read' | 'once') {
  const taskQueue = randomUUID();
  const started = signal<void>();
  const hanging = tool(effect, () => {
    started.resolve();
    return new Promise(() => undefined);
  });
  const stopFirst = await server.startWorker(taskQueue, { tools: [hanging], shutdownGraceMs: 1 });
  const run = await start(taskQueue);
  await started.promise;
  await stopFirst();
  const stopSecond = await server.startWorker(taskQueue, { tools: [tool(effect, () => 'done')] });
  const result = await run.result();
  await stopSecond();
  return result;
}

test('a worker that stops hands a read call to the next worker at once', async () => {
  expect(await resultAfterStop('read')).toMatchObject({ outcome: 'completed', attempt: 2 });
});

test('a worker that stops during a once call reports it as unknown', async () => {
  const result = await resultAfterStop('once');
  expect(result.outcome).toBe('unknown');
  expect(JSON.stringify(result.content)).toContain('It may have happened');
});

test('a starting worker takes over an attempt of a dead process, so the next attempt needs no time-out', async () => {
  const { probe, started, taskQueue } = hangingOnFirstAttempt('idempotent');
  const stop = await server.startWorker(taskQueue, { tools: [probe], shutdownGraceMs: 1 });
  const run = await start(taskQueue);
  const folder = await leavePrey(await started, 'idempotent');
  const stopSecond = await server.startWorker(randomUUID(), { leasesDir: folder });
  expect(await run.result()).toMatchObject({ outcome: 'completed', attempt: 2 });
  await Promise.all([stop(), stopSecond()]);
  expect(await readdir(folder)).toEqual([]);
});

test('a once call of a dead process fails without a second attempt', async () => {
  const { probe, started, taskQueue } = hangingOnFirstAttempt('once');
  const stop = await server.startWorker(taskQueue, { tools: [probe], shutdownGraceMs: 1 });
  const run = await start(taskQueue);
  const folder = await leavePrey(await started, 'once');
  const stopSecond = await server.startWorker(randomUUID(), { leasesDir: folder });
  const failed = await run.result().catch((error: WorkflowFailedError) => error);
  expect(failed).toMatchObject({ cause: { cause: { type: FAILURES.workerLostOnce } } });
  await Promise.all([stop(), stopSecond()]);
});

test('a lease of an attempt that is over leaves the attempt after it alone', async () => {
  const [first, second, go] = [signal<Prey>(), signal<void>(), signal<string>()];
  const taskQueue = randomUUID();
  const probe = tool('read', ({ attempt }) => {
    if (attempt === 1) {
      first.resolve(preyOf());
      throw new Error('no luck');
    }
    second.resolve();
    return go.promise;
  });
  const stop = await server.startWorker(taskQueue, { tools: [probe] });
  const run = await start(taskQueue);
  const folder = await leavePrey(await first.promise, 'once');
  await second.promise;
  const warnings: unknown[] = [];
  const logger = {
    ...Runtime.instance().logger,
    warn: (...args: unknown[]) => warnings.push(args),
    info() {},
  } as Logger;
  await takeOver({ folder, owner: ownIdentity(), isAlive, client: server.env.client, logger });
  expect(warnings).toEqual([]);
  go.resolve('done');
  expect(await run.result()).toMatchObject({ outcome: 'completed', attempt: 2 });
  await stop();
});

interface Prey {
  readonly token: string;
  readonly workflowId: string;
  readonly runId: string;
}

function hangingOnFirstAttempt(effect: Effect): { probe: Tool; started: Promise<Prey>; taskQueue: string } {
  const started = signal<Prey>();
  const probe = tool(effect, ({ attempt }) => {
    if (attempt > 1) return 'done';
    started.resolve(preyOf());
    return new Promise(() => undefined);
  });
  return { probe, started: started.promise, taskQueue: randomUUID() };
}

/** The attempt that a handler is called in. */
function preyOf(): Prey {
  const { base64TaskToken: token, workflowExecution } = Context.current().info;
  return { token, workflowId: '', runId: '', ...workflowExecution };
}

/** A lease folder as a killed worker leaves it, with a last line that was cut short. */
async function leavePrey(prey: Prey, effect: Effect): Promise<string> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(child, 'spawn');
  const identity = identityOf(child.pid ?? 0);
  child.kill('SIGKILL');
  await once(child, 'exit');
  if (!identity) throw new Error('the child had no identity');
  const folder = join(server.folder, randomUUID());
  await mkdir(folder);
  const line = JSON.stringify({ open: { ...prey, effect } });
  await writeFile(join(folder, leaseFileName(identity, 'x')), `${line}\n{"open":{"tok`);
  return folder;
}
