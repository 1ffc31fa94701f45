import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { AgentClient } from '../src/client/agent-client.ts';
import { createDataConverter } from '../src/temporal/data-converter.ts';
import { startFakeModelApi } from '../test/fake-model-api/fake-model-api.ts';
import type { RecordedRequest } from '../test/fake-model-api/recorded-request.ts';
import { answerTo, modelOf, readJob } from './job.ts';
import type { BenchOptions, Figures } from './options.ts';
import { AGENT } from './pawl-worker.ts';
import { CALLS, FATAL_ITERATION, ITERATIONS, POINTS, type Point } from './recovery-setup.ts';
import { type Kill, Workers } from './recovery-workers.ts';
import { median, orderOf, rounded, withRaw } from './statistics.ts';
import { withServer, withSurroundings } from './surroundings.ts';

const RESULT_BYTES = 2_048;
/** Above all that may decide when there is no lease journal; a run that takes longer is lost. */
const RUN_TIMEOUT_MS = 120_000;

/** A worker is killed at a named point of a run and started again at once: how soon the model is asked the next time. */
export async function recovery({ rounds, size }: BenchOptions): Promise<Figures> {
  const points = size === 'full' ? POINTS : POINTS.slice(0, 1);
  const samples = points.map((point) => ({ point, of: [] as Kill[] }));
  await withSurroundings(async (surroundings) =>
    withServer(surroundings, async (address) => {
      for (let round = 0; round < rounds; round++) {
        for (const { point, of } of orderOf(samples, round)) {
          of.push(await playKill(point, { ...surroundings, address }));
          console.log(`round ${round + 1} ${point}: ${JSON.stringify(of.at(-1))}`);
        }
      }
    }),
  );
  return Object.fromEntries(samples.map(({ point, of }) => [point, figuresOf(point, of)]));
}

const TIMES = ['processStartToUpMs', 'upToNextModelCallMs', 'killToNextModelCallMs'] as const;

function figuresOf(point: Point, samples: readonly Kill[]): Kill {
  const valuesOf = (name: keyof Kill) => samples.map((sample) => sample[name]);
  console.log(`${point}: ${TIMES.map((name) => `${name} ${withRaw(valuesOf(name))}`).join(', ')}`);
  const [processStartToUpMs = 0, upToNextModelCallMs = 0, killToNextModelCallMs = 0] = TIMES.map((name) =>
    rounded(median(valuesOf(name))),
  );
  const repeatedCompletedCalls = valuesOf('repeatedCompletedCalls').reduce((sum, count) => sum + count, 0);
  return { processStartToUpMs, upToNextModelCallMs, killToNextModelCallMs, repeatedCompletedCalls };
}

interface Place {
  readonly address: string;
  readonly bundlePath: string;
  readonly folder: string;
}

async function playKill(point: Point, { address, bundlePath, folder }: Place): Promise<Kill> {
  const taskQueue = `recovery-${randomUUID()}`;
  const home = join(folder, taskQueue);
  await mkdir(home);
  const workers = new Workers(point, join(home, 'worker.log'));
  const fake = await startFakeModelApi({
    strict: false,
    respond: ({ text }) => answerTo(readJob(text)),
    hooks: { afterFirstDelta: (request) => holdIfFatal(point, request, workers) },
  });
  const tools = point === 'in_workflow_task' ? 'quick' : 'ordinary';
  const setup = { address, taskQueue, bundlePath, modelUrl: fake.url, home, resultBytes: RESULT_BYTES, tools } as const;
  const connection = await Connection.connect({ address });
  const dataConverter = createDataConverter({ storageDir: join(home, 'payloads') });
  try {
    await workers.start(setup);
    await playRun(new AgentClient({ client: new Client({ connection, dataConverter }), taskQueue }));
    return workers.sample(fake);
  } finally {
    await workers.end();
    await Promise.all([fake.close(), connection.close()]);
  }
}

async function playRun(client: AgentClient): Promise<void> {
  const { run } = await client.start({
    agent: AGENT,
    prompt: 'Read all pages.',
    model: `anthropic/${modelOf({ iterations: ITERATIONS, calls: CALLS })}`,
    limits: { maxIterations: ITERATIONS + 1 },
  });
  const { status, text } = await client.result(run, { signal: AbortSignal.timeout(RUN_TIMEOUT_MS) });
  if (status !== 'completed') throw new Error(`the run ended as ${status}: ${text}`);
}

/** Of an answer in the fatal iteration no more than the first delta leaves while the worker lives that is to be killed. */
function holdIfFatal(point: Point, { text }: RecordedRequest, workers: Workers): unknown {
  if (point !== 'in_model_call' || workers.killed || readJob(text).iteration !== FATAL_ITERATION) return undefined;
  workers.replace();
  return new Promise(() => undefined);
}
