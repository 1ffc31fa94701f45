import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { workflowBundle } from '../src/temporal/workflow-bundle.ts';
import { testTemporal } from './support/server.ts';

it('is built once for the same sources', async () => {
  const { bundlePath } = testTemporal();
  const builtAt = statSync(bundlePath).mtimeMs;
  expect(await workflowBundle(dirname(bundlePath))).toEqual({ codePath: bundlePath });
  expect(statSync(bundlePath).mtimeMs).toBe(builtAt);
});

it('is whole when two processes build it at the same time, and nothing else is left', async () => {
  const cacheDir = mkdtempSync(join(tmpdir(), 'pawl-bundles-'));
  const [first, second] = await Promise.all([workflowBundle(cacheDir), workflowBundle(cacheDir)]);
  expect(second).toEqual(first);
  expect(readdirSync(cacheDir)).toEqual([basename(first.codePath)]);
  expect(readFileSync(first.codePath, 'utf8')).toContain('agentRun');
  rmSync(cacheDir, { recursive: true });
});
