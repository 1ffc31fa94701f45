import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time.js';
import { SEARCH_ATTRIBUTES } from '../protocol/search-attributes.ts';
import { isServing } from './connection.ts';
import { writtenSince } from './log-file.ts';
import { isListening } from './ports.ts';

/** The dev server keeps closed runs for a day; events are read from them, and every link of a run is a closed one. */
const RETENTION_MS = 90 * 86_400_000;
/** A start takes a third of a second; this is for a machine that does something else. */
const START_TIMEOUT_MS = 60_000;
/** The default of 20 a second lets a run of more than a few iterations wait up to 50 ms for each workflow task. */
const TRANSFER_POLLS_A_SECOND = 100;
/** How often the port is tried until the server listens. */
const START_POLL_MS = 20;
const PROBE_TIMEOUT_MS = 500;
/** A fresh database and its journal take half of this. */
const NEEDED_BYTES = 1024 * 1024;

/** Thrown where the server does not come up: why, and what it said. */
export class ServerNotStarted extends Error {
  override readonly name = 'ServerNotStarted';

  constructor(reason: string, said: string, options?: ErrorOptions) {
    super(`The Temporal dev server did not start: ${reason}.${said === '' ? '' : `\n${said}`}`, options);
  }
}

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
  /** Resolves when it serves, with our retention. Throws {@link ServerNotStarted}. */
  ready(): Promise<void>;
}

/** Starts Temporal's dev server on loopback, in its own process group: it lives on when this process ends. */
export function startDevServer(options: DevServerOptions): DevServer {
  const log = openSync(options.logFile, 'a', 0o600);
  const logStart = statSync(options.logFile).size;
  const child = spawn(options.cli, serverArguments(options), { detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  child.unref();
  const end = watchEnd(child);
  if (child.pid === undefined) throw new Error(`${options.cli} cannot be started`);
  const address = `127.0.0.1:${options.port}`;
  const ready = () => becomeReady(child, end, { ...options, logStart });
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

interface Starting extends DevServerOptions {
  /** Bytes of the log before this start. */
  readonly logStart: number;
}

async function becomeReady(child: ChildProcess, end: End, starting: Starting): Promise<void> {
  const { port, logFile, logStart } = starting;
  const address = `127.0.0.1:${port}`;
  try {
    await serving(port, address, end);
    await keepClosedRuns(address);
  } catch (error) {
    child.kill('SIGKILL');
    throw new ServerNotStarted(reasonOf(error, starting), writtenSince(logFile, logStart), { cause: error });
  }
}

/** A server whose disk is full often cannot say so: its log lies there too. */
function reasonOf(error: unknown, { databaseFile }: DevServerOptions): string {
  const folder = dirname(databaseFile);
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= NEEDED_BYTES) return error instanceof Error ? error.message : String(error);
  return `no space is left in ${folder}; free some, or set PAWL_HOME to another folder`;
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
    '--dynamic-config-value',
    `history.transferProcessorMaxPollRPS=${TRANSFER_POLLS_A_SECOND}`,
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
