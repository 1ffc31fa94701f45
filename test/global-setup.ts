// Once for all integration tests: a Temporal server of their own, and the workflow bundle.

import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { readConfig } from '../src/config.ts';
import { findCli } from '../src/temporal/cli.ts';
import { workflowBundle } from '../src/temporal/workflow-bundle.ts';
import { ROOT } from './support/environment.ts';
import { startTestServer, type TestServer } from './support/server.ts';

/** Where `npm start` keeps them too: what one has fetched or built, the other needs not. */
const HOME = join(ROOT, '.pawl');

/** Returns what ends the server. Throws, with the ways to install it, where there is no temporal CLI. */
export async function setup({ provide }: Pick<TestProject, 'provide'>): Promise<() => void> {
  const temporalCli = await findCli({ ...cliSettings(), home: HOME }, (line) => process.stderr.write(`${line}\n`));
  const [server, bundle] = await Promise.all([findServer(temporalCli), workflowBundle(join(HOME, 'bundles'))]);
  provide('temporal', { address: server.address, bundlePath: bundle.codePath, temporalCli });
  return () => server.stop();
}

/** One of their own, unless they are to run on a server that is there: PAWL_TEST_ADDRESS, with the namespace `default`. */
async function findServer(temporalCli: string): Promise<Pick<TestServer, 'address' | 'stop'>> {
  const { PAWL_TEST_ADDRESS: address } = process.env;
  return address ? { address, stop: () => {} } : startTestServer(temporalCli);
}

/** Of the developer's settings only those about the CLI count. */
function cliSettings() {
  const { PAWL_TEMPORAL_CLI, PAWL_DOWNLOAD } = process.env;
  return readConfig({ PAWL_TEMPORAL_CLI, PAWL_DOWNLOAD }, join(ROOT, 'test'));
}
