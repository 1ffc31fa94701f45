import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Child } from './child.ts';
import type { Batch, ClientSetup, Measured } from './client-setup.ts';
import type { WorkerSetup } from './pawl-worker.ts';

/** Whose worker and workflow are measured. */
export interface Variant {
  readonly system: ClientSetup['system'];
  readonly tools: WorkerSetup['tools'];
  readonly resultBytes: number;
  /** Path of the workflow bundle. */
  readonly bundlePath: string;
}

/** Where the processes of a variant work. */
export interface Place {
  readonly address: string;
  readonly modelUrl: string;
  readonly folder: string;
}

/** Measures batches of runs, one after another. */
export type Measure = (batch: Batch) => Promise<Measured>;

/** Worker and client of a variant, each in a fresh process, for as long as `work` takes. */
export async function withVariant<T>(
  variant: Variant,
  { address, modelUrl, folder }: Place,
  work: (measure: Measure, home: string) => Promise<T>,
): Promise<T> {
  const taskQueue = `bench-${randomUUID()}`;
  const home = join(folder, taskQueue);
  await mkdir(home);
  const { system, tools, resultBytes, bundlePath } = variant;
  const setup: WorkerSetup = { address, taskQueue, bundlePath, modelUrl, home, resultBytes, tools };
  const entry = system === 'pawl' ? 'pawl-worker-process.ts' : 'floor/floor-worker-process.ts';
  const worker = new Child({ entry, setup, logFile: join(home, 'worker.log') });
  const clientSetup: ClientSetup = { address, taskQueue, home, system };
  const client = new Child({ entry: 'client-process.ts', setup: clientSetup, logFile: join(home, 'client.log') });
  try {
    await Promise.all([worker.next(), client.next()]);
    const result = await work((batch) => client.ask<Measured>(batch), home);
    await worker.stop();
    return result;
  } finally {
    await Promise.all([client.kill(), worker.kill()]);
  }
}

/** The fake Messages API in a process of its own, for as long as `work` takes. */
export async function withFakeApi<T>(folder: string, work: (modelUrl: string) => Promise<T>): Promise<T> {
  const fake = new Child({ entry: 'fake-api-process.ts', logFile: join(folder, 'fake-api.log') });
  try {
    return await work((await fake.next<{ url: string }>()).url);
  } finally {
    await fake.kill();
  }
}
