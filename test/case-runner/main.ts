// npm run cases -- [folders or files] [--only a01,b03]: one line a case; exit code 1 when one fails.

import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { workflowBundle } from '../../src/temporal/workflow-bundle.ts';
import { ROOT } from '../support/environment.ts';
import type { Surroundings } from './case-run.ts';
import { runCase, type Verdict } from './run-case.ts';
import { readCase, type Selected, selectCases } from './select-cases.ts';
import { startTemporalServer } from './temporal-server.ts';

/** Cases at the same time. Most of a case is waiting, and two cores carry three workers. */
const PARALLEL = 3;
/** What is shown of the log of a worker whose run did not come to its end. */
const LOG_TAIL_LINES = 30;
/** Where `npm start` keeps the bundle and a downloaded CLI too. */
const PROJECT_HOME = join(ROOT, '.pawl');

// Replays would log every change of their worker's state.
Runtime.install({ logger: new DefaultLogger('WARN') });
// Server, workers and files end with this process, and an exit is what they listen for.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { only: { type: 'string' } },
    allowPositionals: true,
  });
  const only = values.only?.split(',') ?? [];
  const cases = await selectCases(positionals, only);
  const folder = await mkdtemp(join(tmpdir(), 'pawl-cases-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const server = await startTemporalServer(PROJECT_HOME);
  try {
    const { codePath } = await workflowBundle(join(PROJECT_HOME, 'bundles'));
    return await runAll(cases, { folder, server, bundlePath: codePath });
  } finally {
    await server.stop();
  }
}

async function runAll(cases: readonly Selected[], surroundings: Surroundings): Promise<number> {
  const waiting = [...cases];
  const counts = { ok: 0, failed: 0, skipped: 0 };
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const startedAt = performance.now();
      const verdict = await runCase(await readCase(next.path), surroundings);
      counts[verdict.status]++;
      console.log(lineOf(next.name, verdict, performance.now() - startedAt));
      if (verdict.status === 'failed' && verdict.workerLog) console.error(tail(verdict.workerLog));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  console.log(`${counts.ok} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed === 0 ? 0 : 1;
}

function lineOf(name: string, verdict: Verdict, ms: number): string {
  switch (verdict.status) {
    case 'ok':
      return `ok ${name} (${(ms / 1_000).toFixed(1)} s)`;
    case 'failed':
      return `FAIL ${name}: ${verdict.faults.join('; ').replace(/\s+/g, ' ')}`;
    case 'skipped':
      return `skip ${name}: ${verdict.why}`;
  }
}

function tail(log: string): string {
  return log
    .trim()
    .split('\n')
    .slice(-LOG_TAIL_LINES)
    .map((line) => `    ${line}`)
    .join('\n');
}
