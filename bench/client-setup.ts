import type { Job } from './job.ts';
import type { LinkSize } from './link-sizes.ts';

/** What a measuring client is told first. */
export interface ClientSetup {
  readonly address: string;
  readonly taskQueue: string;
  /** Of the worker: where stored payloads lie. */
  readonly home: string;
  readonly system: 'pawl' | 'floor';
}

/** What it is then asked for, again and again: so many runs of a job at once. */
export interface Batch {
  readonly job: Job;
  readonly runs: number;
}

/** From the first start to the last end, and what one of the runs left in history. */
export interface Measured {
  readonly ms: number;
  readonly links: readonly LinkSize[];
}
