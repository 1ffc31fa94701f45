import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child.ts';
import type { BenchOptions, Figures } from './options.ts';
import { median, orderOf, rounded, withRaw } from './statistics.ts';
import type { ReadMemory, ReadOrder, ReadTime } from './stream-reader-process.ts';
import { KINDS, type StreamedAnswer, WIRE_NAMES } from './streamed-answer.ts';

/** A provider sends a word or a few at a time. */
const PIECE_CHARS = 20;
/** Of a text in long pieces, so that the copies of it weigh and not the pieces themselves. */
const WEIGHED = { kind: 'text', charsPerPiece: 1_000 } as const;

/** What is measured of an answer. */
interface Plan {
  /** Pieces of the smallest answer; the others have twice and four times as many. */
  readonly pieces: number;
  /** Answers that are read before and not counted: the compiler needs some to see all code. */
  readonly warmUps: number;
  /** So often in a row; the median counts. */
  readonly repeats: number;
  readonly weighedPieces: number;
}

const PLANS: Readonly<Record<BenchOptions['size'], Plan>> = {
  full: { pieces: 5_000, warmUps: 4, repeats: 5, weighedPieces: 4_000 },
  tiny: { pieces: 100, warmUps: 1, repeats: 1, weighedPieces: 100 },
};

/** CPU time of reading an answer, in ms, as the median of the repeats. */
interface Times {
  readonly adapter: number;
  readonly floor: number;
}

/** One kind of answer of one wire in one round: the times of the three sizes, the smallest first. */
interface Sample {
  readonly wire: StreamedAnswer['wire'];
  readonly kind: StreamedAnswer['kind'];
  readonly times: readonly [Times, Times, Times];
  readonly memory?: ReadMemory;
}

/** What reading a long answer costs, on each wire, through its adapter and SDK: linear is what is promised. */
export async function adapters({ rounds, size }: BenchOptions): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-bench-'));
  const provider = new Child({ entry: 'stream-api-process.ts', logFile: join(folder, 'provider.log') });
  try {
    const { url } = await provider.next<{ url: string }>();
    const samples: Sample[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const wire of orderOf(WIRE_NAMES, round)) {
        for (const kind of KINDS) {
          const log = join(folder, 'reader.log');
          samples.push(await withReader(url, log, (read) => sample({ wire, kind }, read, PLANS[size])));
          console.log(`round ${round + 1} ${lineOf(samples.at(-1) as Sample)}`);
        }
      }
    }
    return report(samples);
  } finally {
    await provider.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

type Read = <T>(measure: ReadOrder['measure'], answer: StreamedAnswer) => Promise<T>;

/** A fresh process that reads answers, for as long as `work` takes. */
async function withReader<T>(url: string, logFile: string, work: (read: Read) => Promise<T>): Promise<T> {
  const reader = new Child({ entry: 'stream-reader-process.ts', logFile });
  try {
    await reader.next();
    return await work((measure, answer) => reader.ask({ url, measure, answer } satisfies ReadOrder));
  } finally {
    await reader.kill();
  }
}

async function sample(of: Pick<Sample, 'wire' | 'kind'>, read: Read, plan: Plan): Promise<Sample> {
  const sized = (factor: number) => ({ ...of, pieces: plan.pieces * factor, charsPerPiece: PIECE_CHARS });
  await timesOf(read, sized(2), plan.warmUps);
  const times = [
    await timesOf(read, sized(1), plan.repeats),
    await timesOf(read, sized(2), plan.repeats),
    await timesOf(read, sized(4), plan.repeats),
  ] as const;
  if (of.kind === 'call') return { ...of, times };
  const weighed = { wire: of.wire, ...WEIGHED, pieces: plan.weighedPieces };
  return { ...of, times, memory: await memoryOf(read, weighed, plan.repeats) };
}

async function memoryOf(read: Read, answer: StreamedAnswer, repeats: number): Promise<ReadMemory> {
  const all: ReadMemory[] = [];
  for (let at = 0; at < repeats; at++) all.push(await read<ReadMemory>('memory', answer));
  return {
    atLastPiece: median(all.map(({ atLastPiece }) => atLastPiece)),
    atEnd: median(all.map(({ atEnd }) => atEnd)),
  };
}

/** Adapter and floor by turns, so that both meet the same machine. */
async function timesOf(read: Read, answer: StreamedAnswer, repeats: number): Promise<Times> {
  const ms: { adapter: number[]; floor: number[] } = { adapter: [], floor: [] };
  for (let at = 0; at < repeats; at++) {
    for (const measure of orderOf(['adapter', 'floor'] as const, at)) {
      ms[measure].push((await read<ReadTime>(measure, answer)).cpuMs);
    }
  }
  return { adapter: median(ms.adapter), floor: median(ms.floor) };
}

function lineOf({ wire, kind, times, memory }: Sample): string {
  const ms = times.map(({ adapter, floor }) => `${rounded(adapter, 1)} (floor ${rounded(floor, 1)})`).join(', ');
  const copies = memory && `; live text ${rounded(memory.atLastPiece, 2)}, at the end ${rounded(memory.atEnd, 2)}`;
  return `${wire} ${kind}: ms ${ms}${copies ?? ''}`;
}

function report(samples: readonly Sample[]): Figures {
  const figures = WIRE_NAMES.map((wire) => {
    const byKind = KINDS.map((kind) => {
      console.log(`\n${wire} ${kind}`);
      return [kind, figuresOf(samples.filter((sample) => sample.wire === wire && sample.kind === kind))] as const;
    });
    return [wire, Object.fromEntries(byKind)] as const;
  });
  return Object.fromEntries(figures);
}

/** Times and ratios, each ratio taken within a round. */
function figuresOf(rounds: readonly Sample[]): Figures {
  const figure = (name: string, digits: number, of: (sample: Sample) => number) => {
    const values = rounds.map(of);
    console.log(`  ${name}: ${withRaw(values, digits)}`);
    return rounded(median(values), digits);
  };
  const [smallest, middle, largest] = ['smallest', 'middle', 'largest'].map((size, at) =>
    figure(`${size} ms`, 1, ({ times }) => times[at]?.adapter ?? Number.NaN),
  );
  return {
    ms: [smallest, middle, largest],
    middleToSmallest: figure('middle to smallest', 2, ({ times: [small, mid] }) => mid.adapter / small.adapter),
    largestToMiddle: figure('largest to middle', 2, ({ times: [, mid, large] }) => large.adapter / mid.adapter),
    floorLargestToMiddle: figure('floor, largest to middle', 2, ({ times: [, mid, large] }) => large.floor / mid.floor),
    largestToFloor: figure('largest to floor', 2, ({ times: [, , large] }) => large.adapter / large.floor),
    ...copiesIn(rounds),
  };
}

function copiesIn(rounds: readonly Sample[]): Figures {
  const weighed = rounds.flatMap(({ memory }) => memory ?? []);
  if (weighed.length === 0) return {};
  const atLastPiece = weighed.map((memory) => memory.atLastPiece);
  const atEnd = weighed.map((memory) => memory.atEnd);
  console.log(`  copies: at the last piece ${withRaw(atLastPiece, 2)}, at the end ${withRaw(atEnd, 2)}`);
  return { copiesAtLastPiece: rounded(median(atLastPiece), 2), copiesAtEnd: rounded(median(atEnd), 2) };
}
