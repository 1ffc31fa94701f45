import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { STORAGE_THRESHOLD_BYTES } from '../src/protocol/limits.ts';
import { configuredTarget, connectClient } from '../src/temporal/connection.ts';
import { createDataConverter } from '../src/temporal/data-converter.ts';
import { testTemporal } from './support/server.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-payloads-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function startedWith(prompt: string): Promise<{ historyBytes: number; stored: string[] }> {
  const target = configuredTarget({ temporalEnv: { TEMPORAL_ADDRESS: testTemporal().address } });
  if (target === undefined) throw new Error('TEMPORAL_ADDRESS names no server');
  const connection = await connectClient(target);
  const client = new Client({ connection, dataConverter: createDataConverter({ storageDir: folder }) });
  const options = { taskQueue: 'nobody', workflowId: `stored-${prompt.length}`, args: [{ agent: 'demo', prompt }] };
  const handle = await client.workflow.start('agentRun', options);
  const { raw } = await handle.describe();
  await handle.terminate();
  await connection.close();
  const stored = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /[0-9a-f]{64}$/.test(name),
  );
  return { historyBytes: Number(raw.workflowExecutionInfo?.historySizeBytes), stored };
}

it('keeps a large payload out of the history, in a file of its run', async () => {
  const { historyBytes, stored } = await startedWith('x'.repeat(STORAGE_THRESHOLD_BYTES));
  expect(historyBytes).toBeLessThan(4_096);
  expect(stored).toEqual([expect.stringContaining(`default/stored-${STORAGE_THRESHOLD_BYTES}/`)]);
  expect(readFileSync(join(folder, stored[0] ?? ''), 'utf8')).toContain('"prompt":"xxx');
});

it('leaves a small one in the history', async () => {
  const { stored } = await startedWith('x');
  expect(stored).toEqual([]);
});
