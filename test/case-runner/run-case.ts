import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonMap } from './case-format.ts';
import type { Surroundings } from './case-run.ts';
import { judge } from './expectations.ts';
import type { Observed } from './observed.ts';
import { prepareCase, variantsOf } from './prepare-case.ts';
import { BrokenOff, runOnce } from './run-once.ts';
import { inspectWords } from './words.ts';

/** What became of a case. */
export type Verdict =
  | { readonly status: 'ok' }
  /** `workerLog` where the run did not come to its end. */
  | { readonly status: 'failed'; readonly faults: readonly string[]; readonly workerLog?: string }
  | { readonly status: 'skipped'; readonly why: string };

/** Runs a case, with its repeats, and compares. Never throws: a fault of the runner itself fails the case. */
export async function runCase(raw: JsonMap, surroundings: Surroundings): Promise<Verdict> {
  const { unknown, missing } = inspectWords(raw);
  if (unknown.length > 0) return { status: 'failed', faults: unknown };
  if (missing.length > 0) return { status: 'skipped', why: missing.join(', ') };
  try {
    const faults = await runVariants(raw, surroundings);
    return faults.length === 0 ? { status: 'ok' } : { status: 'failed', faults };
  } catch (error) {
    if (error instanceof BrokenOff) return { status: 'failed', faults: [error.message], workerLog: error.workerLog };
    return { status: 'failed', faults: [error instanceof Error ? error.message : String(error)] };
  }
}

async function runVariants(raw: JsonMap, surroundings: Surroundings): Promise<readonly string[]> {
  const seen: Observed[] = [];
  const prepared = variantsOf(raw).map(prepareCase);
  for (const one of prepared) {
    const folder = await mkdtemp(join(surroundings.folder, 'case-'));
    try {
      seen.push(await runOnce(one, folder, surroundings));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  const wireNames = seen.flatMap((one) => one.wireNames);
  return prepared.flatMap(({ file }, at) => {
    const observed = seen[at];
    if (observed === undefined) return [];
    const faults = judge(file.expect, file.alternative_expect, { ...observed, wireNames });
    return at === 0 ? faults : faults.map((fault) => `repeat ${at}: ${fault}`);
  });
}
