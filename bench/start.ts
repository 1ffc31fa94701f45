import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { isListening } from '../src/temporal/ports.ts';
import { isolatedEnvironment, ROOT } from '../test/support/environment.ts';
import type { BenchOptions, Figures } from './options.ts';
import { median, orderOf, rounded, withRaw } from './statistics.ts';
import { type Surroundings, withSurroundings } from './surroundings.ts';

const QUESTION = 'What time is it in Seoul, and what is 19 + 23?';
/** A server on this port would be taken in place of Pawl's own. */
const DEV_SERVER_PORT = 7233;
const PROBE_TIMEOUT_MS = 200;

/**
 * `cold`: no server, no worker and no workflow bundle, as the first time. `coldWithBundle`: as the first time after
 * `down`. `warm`: server and worker are running.
 */
const STATES = ['cold', 'coldWithBundle', 'warm'] as const;
type State = (typeof STATES)[number];

/** From the start of npm, in ms. */
interface Sample {
  readonly firstEventMs: number;
  readonly answerMs: number;
  /** Until npm has ended. */
  readonly endMs: number;
}

/** `npm start` on an installed clone, as a person types it: how long until the first event, and until the answer. */
export async function start({ rounds }: BenchOptions): Promise<Figures> {
  if (await isListening(DEV_SERVER_PORT, PROBE_TIMEOUT_MS))
    throw new Error(`stop the server on port ${DEV_SERVER_PORT}`);
  const samples = STATES.map((state) => ({ state, of: [] as Sample[] }));
  await withSurroundings(async (surroundings) => {
    for (let round = 0; round < rounds; round++) {
      for (const { state, of } of orderOf(samples, round)) {
        of.push(await sample(state, surroundings));
        console.log(`round ${round + 1} ${state}: ${JSON.stringify(of.at(-1))}`);
      }
    }
  });
  return Object.fromEntries(samples.map(({ state, of }) => [state, figuresOf(state, of)]));
}

const TIMES = ['firstEventMs', 'answerMs', 'endMs'] as const;

function figuresOf(state: State, samples: readonly Sample[]): Figures {
  return Object.fromEntries(
    TIMES.map((name) => {
      const values = samples.map((sample) => sample[name]);
      console.log(`${state} ${name}: ${withRaw(values)}`);
      return [name, rounded(median(values))];
    }),
  );
}

/** One start in a home of its own, which is brought down again. */
async function sample(state: State, { folder, cli, bundlePath }: Surroundings): Promise<Sample> {
  const home = await mkdtemp(join(folder, 'home-'));
  const env = isolatedEnvironment({ PAWL_HOME: home, PAWL_TEMPORAL_CLI: cli });
  if (state !== 'cold') await giveBundle(bundlePath, home);
  try {
    if (state === 'warm') await ask(env);
    return await ask(env);
  } finally {
    await npm(['run', '-s', 'pawl', '--', 'down'], env, () => undefined);
  }
}

async function giveBundle(bundlePath: string, home: string): Promise<void> {
  const folder = join(home, 'bundles');
  await mkdir(folder, { recursive: true });
  await cp(dirname(bundlePath), folder, { recursive: true });
}

async function ask(env: NodeJS.ProcessEnv): Promise<Sample> {
  const startedAt = performance.now();
  const at: Partial<Record<string, number>> = {};
  await npm(['start', '-s', '--', '--json', QUESTION], env, (line) => {
    const { type } = JSON.parse(line) as { type: string };
    at['first'] ??= performance.now();
    at[type] ??= performance.now();
  });
  const { first, final_text: answer } = at;
  if (first === undefined || answer === undefined) throw new Error('npm start gave no answer');
  return { firstEventMs: first - startedAt, answerMs: answer - startedAt, endMs: performance.now() - startedAt };
}

/** Runs npm in the project. Throws with what it wrote to stderr where it fails. */
async function npm(args: readonly string[], env: NodeJS.ProcessEnv, onLine: (line: string) => void): Promise<void> {
  const child = spawn('npm', args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  for await (const line of createInterface({ input: child.stdout })) onLine(line);
  const code = await ended;
  if (code !== 0) throw new Error(`npm ${args.join(' ')} ended with ${code}: ${Buffer.concat(errors).toString()}`);
}
