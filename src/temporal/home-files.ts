import { accessSync, constants, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../config.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { writeFault } from './write-fault.ts';

/** The embedded server, as it is remembered: its ports stay the same over restarts, so that links stay good. */
export interface ServerRecord {
  readonly process: ProcessIdentity;
  readonly port: number;
  readonly uiPort: number;
  /** False from its start until it serves. */
  readonly ready: boolean;
}

/** The background worker, as it is remembered. */
export interface WorkerRecord {
  readonly process: ProcessIdentity;
  /** Digest of the sources that it was started from. */
  readonly sources: string;
  /** Digest of the settings that it was started with. */
  readonly settings: string;
}

/** The files under PAWL_HOME by which commands and background processes know of each other. */
export interface HomeFiles {
  readonly serverLock: string;
  readonly workerLock: string;
  readonly serverLog: string;
  readonly workerLog: string;
  readonly database: string;
  /** Workflow bundles, by digest. */
  readonly bundles: string;
  /** Lease journals of workers. */
  readonly leases: string;
  readonly server: JsonFile<ServerRecord>;
  readonly worker: JsonFile<WorkerRecord>;
  /** Written by the background worker while it takes work. */
  readonly workerReady: JsonFile<ProcessIdentity>;
  /** Written by each command: when somebody last wanted something. */
  readonly lastUse: JsonFile<{ readonly atMs: number }>;
}

/** A small JSON file; a reader never sees half of it. */
interface JsonFile<T> {
  read(): T | undefined;
  write(value: T): void;
  remove(): void;
}

/** The files of a home, which is made where it is missing. Throws {@link ConfigError} where nothing can be written there. */
export function homeFiles(home: string): HomeFiles {
  makeWritable(home);
  const path = (name: string) => join(home, name);
  return {
    serverLock: path('server.lock'),
    workerLock: path('worker.lock'),
    serverLog: path('server.log'),
    workerLog: path('worker.log'),
    database: path('temporal.db'),
    bundles: path('bundles'),
    leases: path('leases'),
    server: jsonFile(path('server.json')),
    worker: jsonFile(path('worker.json')),
    workerReady: jsonFile(path('worker-ready.json')),
    lastUse: jsonFile(path('last-use.json')),
  };
}

function makeWritable(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    accessSync(home, constants.W_OK);
  } catch (error) {
    const seen = `${JSON.stringify(home)}: ${writeFault(error) ?? String(error)}`;
    throw new ConfigError([{ variable: 'PAWL_HOME', seen, allowed: 'a folder that can be written to' }], {
      cause: error,
    });
  }
}

function jsonFile<T>(path: string): JsonFile<T> {
  return {
    read: () => {
      if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
      return JSON.parse(readFileSync(path, 'utf8')) as T;
    },
    write: (value) => {
      const unfinished = `${path}.${process.pid}`;
      try {
        writeFileSync(unfinished, JSON.stringify(value), { mode: 0o600 });
        renameSync(unfinished, path);
      } finally {
        rmSync(unfinished, { force: true });
      }
    },
    remove: () => rmSync(path, { force: true }),
  };
}
