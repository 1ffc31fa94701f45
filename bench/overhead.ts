import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import type { Batch, Measured } from './client-setup.ts';
import { type Place, type Variant, withFakeApi, withVariant } from './measuring.ts';
import type { BenchOptions, Figures } from './options.ts';
import { median, orderOf, rounded, withRaw } from './statistics.ts';
import { type Surroundings, withServer, withSurroundings } from './surroundings.ts';

/** Bytes of one tool result. */
const RESULT_BYTES = 2_048;

/** What is measured of a variant in a round, in this order. */
interface Plan {
  /** Not measured: fills caches and lets the compiler see all code. */
  readonly warmUp: Batch;
  readonly one: Batch;
  /** So often in a row. */
  readonly repeats: number;
  readonly many: Batch;
}

const PLANS: Readonly<Record<BenchOptions['size'], Plan>> = {
  full: {
    warmUp: { job: { iterations: 10, calls: 3 }, runs: 2 },
    one: { job: { iterations: 20, calls: 3 }, runs: 1 },
    repeats: 3,
    many: { job: { iterations: 5, calls: 3 }, runs: 20 },
  },
  tiny: {
    warmUp: { job: { iterations: 1, calls: 3 }, runs: 1 },
    one: { job: { iterations: 3, calls: 3 }, runs: 1 },
    repeats: 1,
    many: { job: { iterations: 1, calls: 3 }, runs: 3 },
  },
};

const NAMES = ['floor', 'pawl', 'pawlQuick'] as const;
type Name = (typeof NAMES)[number];

/** What one variant gave in one round. */
interface Sample {
  readonly oneMs: readonly number[];
  readonly runsPerSecond: number;
  readonly history: Measured['links'];
}

type Round = Readonly<Record<Name, Sample>>;

/** Pawl against the bare floor: the time of one run, with ordinary and with quick tools, and the throughput of many. */
export async function overhead({ rounds, size }: BenchOptions): Promise<Figures> {
  return await withSurroundings(async (surroundings) => {
    const variants = variantsOf(surroundings.bundlePath, await bundleFloor(surroundings.folder));
    const plan = PLANS[size];
    return await withFakeApi(surroundings.folder, async (modelUrl) => {
      const all: Round[] = [];
      for (let round = 0; round < rounds; round++)
        all.push(await playRound(surroundings, modelUrl, { variants, plan, round }));
      return report(all, plan);
    });
  });
}

type Variants = Readonly<Record<Name, Variant>>;

function variantsOf(bundlePath: string, floorBundlePath: string): Variants {
  const common = { resultBytes: RESULT_BYTES, tools: 'ordinary' } as const;
  return {
    floor: { ...common, system: 'floor', bundlePath: floorBundlePath },
    pawl: { ...common, system: 'pawl', bundlePath },
    pawlQuick: { ...common, system: 'pawl', tools: 'quick', bundlePath },
  };
}

async function bundleFloor(folder: string): Promise<string> {
  const workflowsPath = fileURLToPath(new URL('./floor/workflow.ts', import.meta.url));
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
  const path = join(folder, 'floor.js');
  await writeFile(path, code);
  return path;
}

interface RoundPlan {
  readonly variants: Variants;
  readonly plan: Plan;
  readonly round: number;
}

/** All variants on one fresh server. */
function playRound(surroundings: Surroundings, modelUrl: string, { variants, plan, round }: RoundPlan): Promise<Round> {
  return withServer(surroundings, async (address) => {
    const place = { address, modelUrl, folder: await mkdtemp(join(surroundings.folder, 'round-')) };
    const samples: Partial<Record<Name, Sample>> = {};
    for (const name of orderOf(NAMES, round)) {
      samples[name] = await sample(variants[name], place, plan);
      console.log(`round ${round + 1} ${name}: ${describe(samples[name])}`);
    }
    return samples as Round;
  });
}

function sample(variant: Variant, place: Place, { warmUp, one, repeats, many }: Plan): Promise<Sample> {
  return withVariant(variant, place, async (measure) => {
    await measure(warmUp);
    const singles: Measured[] = [];
    for (let at = 0; at < repeats; at++) singles.push(await measure(one));
    const { ms } = await measure(many);
    return {
      oneMs: singles.map((single) => single.ms),
      runsPerSecond: many.runs / (ms / 1_000),
      history: singles[0]?.links ?? [],
    };
  });
}

function describe({ oneMs, runsPerSecond }: Sample): string {
  return `one run ${withRaw(oneMs)} ms, ${rounded(runsPerSecond, 2)} runs/s`;
}

function report(rounds: readonly Round[], { one, many }: Plan): Figures {
  console.log(
    `\none run: ${one.job.iterations} iterations × ${one.job.calls} calls; ${many.runs} runs at once: ${many.job.iterations} × ${many.job.calls}`,
  );
  for (const name of NAMES) {
    const samples = rounds.map((round) => round[name]);
    console.log(
      `${name}: ms ${withRaw(samples.map(({ oneMs }) => median(oneMs)))}, runs/s ${withRaw(
        samples.map(({ runsPerSecond }) => runsPerSecond),
        2,
      )}`,
    );
    console.log(`  an iteration: ${anIteration(samples[0]?.history ?? [], one.job.iterations)}`);
  }
  const time = (name: Name) => rounds.map((round) => median(round[name].oneMs) / median(round.floor.oneMs));
  const throughput = rounds.map((round) => round.pawl.runsPerSecond / round.floor.runsPerSecond);
  const ratios = { ratioToFloor: time('pawl'), quickRatioToFloor: time('pawlQuick'), throughputRatio: throughput };
  for (const [name, values] of Object.entries(ratios)) console.log(`${name}: ${withRaw(values, 3)}`);
  return Object.fromEntries(Object.entries(ratios).map(([name, values]) => [name, rounded(median(values), 3)]));
}

/** What one iteration leaves in history. Counts are exact, whatever else the machine does. */
function anIteration(links: Measured['links'], iterations: number): string {
  const sum = (of: (link: Measured['links'][number]) => number) =>
    rounded(links.reduce((total, link) => total + of(link), 0) / iterations, 1);
  return `${sum((link) => link.events)} events, ${sum((link) => link.workflowTasks)} workflow tasks, ${sum((link) => link.bytes)} bytes`;
}
