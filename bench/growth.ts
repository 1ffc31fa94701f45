import { mkdtemp, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Measured } from './client-setup.ts';
import { type Place, withFakeApi, withVariant } from './measuring.ts';
import type { BenchOptions, Figures } from './options.ts';
import { median, orderOf, rounded, withRaw } from './statistics.ts';
import { withServer, withSurroundings } from './surroundings.ts';

/** Bytes of one tool result. */
const RESULT_BYTES = 4_096;
const CALLS = 3;

const ITERATIONS: Readonly<Record<BenchOptions['size'], readonly number[]>> = {
  full: [10, 50, 100, 200],
  tiny: [2, 4],
};

/** What one run of a size gave. */
interface Sample {
  readonly iterations: number;
  readonly ms: number;
  readonly links: Measured['links'];
  /** Bytes that lie outside history: payloads over the threshold of the external storage. */
  readonly storedBytes: number;
}

/** What an iteration costs in runs of several lengths: bytes of history, time, events. Flat is what is promised. */
export async function growth({ rounds, size }: BenchOptions): Promise<Figures> {
  return await withSurroundings(async (surroundings) =>
    withFakeApi(surroundings.folder, async (modelUrl) => {
      const samples: Sample[] = [];
      for (let round = 0; round < rounds; round++) {
        for (const iterations of orderOf(ITERATIONS[size], round)) {
          const folder = await mkdtemp(join(surroundings.folder, 'growth-'));
          const sample = await withServer(surroundings, (address) =>
            play(iterations, surroundings.bundlePath, { address, modelUrl, folder }),
          );
          console.log(`round ${round + 1}: ${lineOf(sample)}`);
          samples.push(sample);
        }
      }
      return report(ITERATIONS[size], samples);
    }),
  );
}

function play(iterations: number, bundlePath: string, place: Place): Promise<Sample> {
  const variant = { system: 'pawl', tools: 'ordinary', resultBytes: RESULT_BYTES, bundlePath } as const;
  return withVariant(variant, place, async (measure, home) => {
    await measure({ job: { iterations: 2, calls: CALLS }, runs: 1 });
    const before = await bytesUnder(join(home, 'payloads'));
    const { ms, links } = await measure({ job: { iterations, calls: CALLS }, runs: 1 });
    return { iterations, ms, links, storedBytes: (await bytesUnder(join(home, 'payloads'))) - before };
  });
}

async function bytesUnder(folder: string): Promise<number> {
  try {
    const names = await readdir(folder, { recursive: true });
    const files = (await Promise.all(names.map((name) => stat(join(folder, name))))).filter((file) => file.isFile());
    return files.reduce((sum, { size }) => sum + size, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0; // nothing was ever stored
    throw error;
  }
}

function sumOf({ links }: Sample, field: 'events' | 'bytes' | 'workflowTasks'): number {
  return links.reduce((sum, link) => sum + link[field], 0);
}

function lineOf(sample: Sample): string {
  const { iterations, ms, links, storedBytes } = sample;
  const bytes = sumOf(sample, 'bytes');
  return `${iterations} iterations: ${rounded(ms / iterations, 1)} ms and ${rounded(bytes / iterations)} bytes each, ${sumOf(sample, 'events')} events, ${sumOf(sample, 'workflowTasks')} workflow tasks, ${links.length} links, ${storedBytes} bytes stored`;
}

function report(sizes: readonly number[], samples: readonly Sample[]): Figures {
  const bySize = (digits: number, figureOf: (sample: Sample) => number) =>
    Object.fromEntries(
      sizes.map((size) => {
        const values = samples.filter(({ iterations }) => iterations === size).map(figureOf);
        console.log(`  ${size} iterations: ${withRaw(values, digits)}`);
        return [size, rounded(median(values), digits)];
      }),
    );
  console.log(`\n${CALLS} calls an iteration, ${RESULT_BYTES} bytes a result\nbytes of history an iteration`);
  const bytesPerIteration = bySize(0, (sample) => sumOf(sample, 'bytes') / sample.iterations);
  console.log('bytes outside history an iteration');
  const storedBytesPerIteration = bySize(0, ({ storedBytes, iterations }) => storedBytes / iterations);
  console.log('ms an iteration');
  const msPerIteration = bySize(1, ({ ms, iterations }) => ms / iterations);
  console.log('events');
  const events = bySize(0, (sample) => sumOf(sample, 'events'));
  return { bytesPerIteration, storedBytesPerIteration, msPerIteration, events };
}
