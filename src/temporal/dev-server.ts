import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time.js';
import { SEARCH_ATTRIBUTES } from '../protocol/search-attributes.ts';
import { isServing } from './connection.ts';
import { tail } from './log-file.ts';
import { isListening } from './ports.ts';

/** The dev server keeps closed runs for a day; events are read from them, and every link of a run is a closed one. */
const RETENTION_MS = 90 * 86_400_000;
/** A start takes a third of a second; this is for a machine that does something else. */
const START_TIMEOUT_MS = 60_000;
/** How often the port is tried until the server listens. */
const START_POLL_MS = 20;
const PROBE_TIMEOUT_MS = 500;

/** What a dev server is started with. */
export interface DevServerOptions {
  /** Path of the temporal CLI. */
  readonly cli: string;
  /** Its folder must exist. */
  readonly databaseFile: string;
  /** Appended to. Its folder must exist. */
  readonly logFile: string;
  readonly port: number;
  readonly uiPort: number;
}

/** A dev server's process. */
export interface DevServer {
  readonly pid: number;
  readonly address: string;
  readonly uiUrl: string;
  /** Resolves when it serves, with our retention. Throws, with the end of its log, where it does not come up. */
  ready(): Promise<void>;
}

/** Starts Temporal's dev server on loopback, in its own process group: it lives on when this process ends. */
export function startDevServer(options: DevServerOptions): DevServer {
  const log = openSync(options.logFile, 'a', 0o600);
  const child = spawn(options.cli, serverArguments(options), { detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  child.unref();
  const end = watchEnd(child);
  if (child.pid === undefined) throw new Error(`${options.cli} cannot be started`);
  const address = `127.0.0.1:${options.port}`;
  const ready = () => becomeReady(child, end, options);
  return { pid: child.pid, address, uiUrl: `http://127.0.0.1:${options.uiPort}`, ready };
}

interface End {
  reason?: Error;
}

function watchEnd(child: ChildProcess): End {
  const end: End = {};
  child.once('error', (error) => {
    end.reason = error;
  });
  child.once('exit', (code, signal) => {
    end.reason = new Error(`it ended at once: ${signal ?? `exit code ${code}`}`);
  });
  return end;
}

async function becomeReady(child: ChildProcess, end: End, { port, logFile }: DevServerOptions): Promise<void> {
  const address = `127.0.0.1:${port}`;
  try {
    await serving(port, address, end);
    await keepClosedRuns(address);
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`The Temporal dev server did not start. The end of ${logFile}:\n${tail(logFile)}`, {
      cause: error,
    });
  }
}

function serverArguments(options: DevServerOptions): string[] {
  const attributes = Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => [
    '--search-attribute',
    `${name}=${type}`,
  ]);
  const pragmas = ['journal_mode=WAL', 'synchronous=NORMAL'].flatMap((pragma) => ['--sqlite-pragma', pragma]);
  const ports = ['--ip', '127.0.0.1', '--port', String(options.port), '--ui-port', String(options.uiPort)];
  return [
    'server',
    'start-dev',
    ...ports,
    '--db-filename',
    options.databaseFile,
    ...pragmas,
    ...attributes,
    '--log-level',
    'warn',
  ];
}

async function serving(port: number, address: string, end: End): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  // gRPC waits a second after a refused connection, so the bare port is asked first.
  while (!(await isListening(port, PROBE_TIMEOUT_MS)) || !(await isServing(address))) {
    if (end.reason !== undefined) throw end.reason;
    if (Date.now() > deadline) throw new Error(`nothing serves at ${address} after ${START_TIMEOUT_MS} ms`);
    await delay(START_POLL_MS);
  }
}

async function keepClosedRuns(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    const config = { workflowExecutionRetentionTtl: msToTs(RETENTION_MS) };
    const answer = await connection.workflowService.updateNamespace({ namespace: 'default', config });
    const keptMs = tsToMs(answer.config?.workflowExecutionRetentionTtl);
    if (keptMs !== RETENTION_MS) throw new Error(`the server keeps closed runs for ${keptMs} ms only`);
  } finally {
    await connection.close();
  }
}
