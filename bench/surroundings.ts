// Around every bench: a folder of its own with a Temporal server in it, started as the product starts its own.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/config.ts';
import { findCli } from '../src/temporal/cli.ts';
import { workflowBundle } from '../src/temporal/workflow-bundle.ts';
import { ROOT } from '../test/support/environment.ts';
import { startTestServer } from '../test/support/server.ts';

/** Where `npm start` keeps the bundle and a downloaded CLI too. */
const PROJECT_HOME = join(ROOT, '.pawl');

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** Exit code of a process that a signal has ended. */
const INTERRUPTED = 130;

/** What a bench works in. */
export interface Surroundings {
  /** Empty, and removed at the end. */
  readonly folder: string;
  /** Path of the temporal CLI. */
  readonly cli: string;
  /** Path of the product's workflow bundle. */
  readonly bundlePath: string;
}

/** Gives a bench its surroundings, and clears up whatever happens. */
export async function withSurroundings<T>(work: (surroundings: Surroundings) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-bench-'));
  try {
    const cli = await findCli({ ...cliSettings(), home: PROJECT_HOME }, (line) => console.error(line));
    const { codePath } = await workflowBundle(join(PROJECT_HOME, 'bundles'));
    return await work({ folder, cli, bundlePath: codePath });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Gives the address of a fresh server, and ends it whatever happens. */
export async function withServer<T>({ cli }: Surroundings, work: (address: string) => Promise<T>): Promise<T> {
  const server = await startTestServer(cli);
  // It has a process group of its own, so that a signal to this one would leave it behind.
  const leave = (): void => {
    server.stop();
    process.exit(INTERRUPTED);
  };
  for (const signal of SIGNALS) process.once(signal, leave);
  try {
    return await work(server.address);
  } finally {
    for (const signal of SIGNALS) process.off(signal, leave);
    server.stop();
  }
}

/** Of the developer's settings only those about the CLI count. */
function cliSettings() {
  const { PAWL_TEMPORAL_CLI, PAWL_DOWNLOAD } = process.env;
  return readConfig({ PAWL_TEMPORAL_CLI, PAWL_DOWNLOAD }, join(ROOT, 'bench'));
}
