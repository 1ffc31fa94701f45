import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type CaseFile, isMap, type JsonMap } from './case-format.ts';
import type { Surroundings } from './case-run.ts';
import { judge } from './expectations.ts';
import { startListener } from './listener.ts';
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
  const runs: Run[] = [];
  for (const variant of variantsOf(raw)) runs.push(await runVariant(variant, surroundings));
  const wireNames = runs.flatMap(({ observed }) => observed.wireNames);
  return runs.flatMap(({ file, observed }, at) => {
    const faults = judge(file.expect, file.alternative_expect, { ...observed, wireNames });
    return at === 0 ? faults : faults.map((fault) => `repeat ${at}: ${fault}`);
  });
}

interface Run {
  readonly file: CaseFile;
  readonly observed: Observed;
}

async function runVariant(variant: JsonMap, surroundings: Surroundings): Promise<Run> {
  const folder = await mkdtemp(join(surroundings.folder, 'case-'));
  const listener = fetches(variant) ? await startListener() : undefined;
  try {
    const prepared = prepareCase(variant, listener);
    return { file: prepared.file, observed: await runOnce(prepared, folder, surroundings) };
  } finally {
    await listener?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function fetches({ tools }: JsonMap): boolean {
  return [tools ?? []].flat().some((tool) => isMap(tool) && tool['builtin'] === 'http_fetch');
}
