// Kept histories replay with the workflow code of today, and code that would break runs in production does not pass.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type ReplayWorkerOptions, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../support/environment.ts';
import { quietRuntime } from '../support/runtime.ts';
import { testTemporal } from '../support/server.ts';
import { type Change, mutantBundle } from './mutants.ts';
import { SCENARIOS } from './scenarios.ts';

const FOLDER = join(ROOT, 'test', 'histories');
const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

/** Replays all kept histories. Gives, by file, what went wrong, undefined where nothing did. */
async function replayAll(workflowBundle: ReplayWorkerOptions['workflowBundle']): Promise<Map<string, unknown>> {
  const histories = FILES.map((file) => ({
    workflowId: file,
    history: JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as unknown,
  }));
  const results = new Map<string, unknown>();
  const replays = Worker.runReplayHistories({ workflowBundle }, histories);
  for await (const { workflowId, error } of replays) results.set(workflowId, error);
  return results;
}

const SWAPPED_CALLS: readonly Change[] = [
  {
    file: 'dispatch.ts',
    find: 'Promise.all(requests.map(runCall))',
    replaceBy: 'Promise.all(requests.toReversed().map(runCall))',
  },
];
const ADDED_TIMER: readonly Change[] = [
  {
    file: 'activity-calls.ts',
    find: 'import { CancellationScope, ',
    replaceBy: 'import { sleep, CancellationScope, ',
  },
  {
    file: 'activity-calls.ts',
    find: 'export function callModel(',
    replaceBy: 'export async function callModel(',
  },
  {
    file: 'activity-calls.ts',
    find: 'const bytes = jsonBytes(input);',
    replaceBy: 'await sleep(1); const bytes = jsonBytes(input);',
  },
];

beforeAll(() => quietRuntime());

describe('kept histories', () => {
  test('are there for every scenario', () => {
    const kept = new Set(FILES.map((file) => file.split('.', 1)[0]));
    expect([...kept].sort()).toEqual(Object.keys(SCENARIOS).sort());
    expect(FILES).toContain('many-links.2.json');
  });

  test('replay without an error', async () => {
    const results = await replayAll({ codePath: testTemporal().bundlePath });
    expect([...results.values()]).toEqual(FILES.map(() => undefined));
  });

  test('do not replay with calls that are scheduled in another order', async () => {
    const results = await replayAll({ code: await mutantBundle(SWAPPED_CALLS) });
    expect(results.get('parallel-calls.1.json')).toBeInstanceOf(DeterminismViolationError);
    expect(results.get('limit-reached.1.json')).toBeUndefined(); // one call at a time has no order
  });

  test('do not replay with a timer more before each model call', async () => {
    const results = await replayAll({ code: await mutantBundle(ADDED_TIMER) });
    expect(results.size).toBe(FILES.length);
    for (const error of results.values()) expect(error).toBeInstanceOf(DeterminismViolationError);
  });
});
