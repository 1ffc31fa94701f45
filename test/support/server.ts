import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type DevServer, startDevServer } from '../../src/temporal/dev-server.ts';
import { freePorts } from '../../src/temporal/ports.ts';

/** What the global set-up gives to every integration test. */
export interface TestTemporal {
  /** Of the one Temporal server that the tests share; its namespace is `default`. */
  readonly address: string;
  /** Path of the workflow bundle, built once. */
  readonly bundlePath: string;
  /** Path of the temporal CLI, for tests that start a server of their own. */
  readonly temporalCli: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    temporal: TestTemporal;
  }
}

/** The server, bundle and CLI of this test run. */
export function testTemporal(): TestTemporal {
  return inject('temporal');
}

/** A Temporal server in a folder of its own. */
export interface TestServer {
  readonly address: string;
  readonly uiUrl: string;
  /** Ends it and removes its data. */
  stop(): void;
}

/** Starts a server that shares nothing with any other. */
export async function startTestServer(cli: string): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-server-'));
  const server = await startOnFreePorts(cli, folder);
  const stop = () => {
    process.kill(server.pid, 'SIGKILL'); // nobody reads its data again
    rmSync(folder, { recursive: true, force: true });
  };
  return { address: server.address, uiUrl: server.uiUrl, stop };
}

/** Another process may take a port between the look and the start; then other ports are tried. */
async function startOnFreePorts(cli: string, folder: string, attempts = 3): Promise<DevServer> {
  const [port, uiPort] = await freePorts(2);
  if (port === undefined || uiPort === undefined) throw new Error('no free ports');
  const files = { databaseFile: join(folder, 'temporal.db'), logFile: join(folder, 'server.log') };
  const server = startDevServer({ cli, port, uiPort, ...files });
  try {
    await server.ready();
    return server;
  } catch (error) {
    if (attempts === 1) throw error;
    return startOnFreePorts(cli, folder, attempts - 1);
  }
}
