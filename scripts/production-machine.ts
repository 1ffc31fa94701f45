// The programs that scripts/production-server.ts runs on this machine, and their processes.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isListening } from '../src/temporal/ports.ts';
import { ROOT } from '../test/support/environment.ts';

/** A start takes a second or two; this is for a machine that does something else. */
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 100;
/** The compiler of Temporal's server, 1.26.8 or newer. */
const GO = 'go';
/** Where Debian puts PostgreSQL's programs, by major version. */
const DEBIAN_POSTGRES = '/usr/lib/postgresql';

export interface MachineOptions {
  /** Of the Temporal server. */
  readonly version: string;
  /** The temporal CLI. */
  readonly cli: string;
  /** Folder with `server` and `sql`, where somebody has built them. */
  readonly binaries: string | undefined;
  /** Where to build them otherwise. Kept, so that the next time is quick. */
  readonly buildFolder: string;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Runs programs under the names that they have in the images. Must be stopped: then its processes and folder are gone. */
export class Machine {
  readonly #folder = mkdtempSync(join(tmpdir(), 'pawl-production-'));
  readonly #processes: ChildProcess[] = [];
  readonly #path: string;

  constructor(options: MachineOptions) {
    const binaries = options.binaries ?? build(options);
    const programs = join(this.#folder, 'bin');
    mkdirSync(programs);
    symlinkSync(resolve(binaries, 'server'), join(programs, 'temporal-server'));
    symlinkSync(resolve(binaries, 'sql'), join(programs, 'temporal-sql-tool'));
    if (options.cli !== 'temporal') symlinkSync(resolve(options.cli), join(programs, 'temporal'));
    this.#path = [programs, process.env['PATH']].join(delimiter);
    chmodSync(this.#folder, 0o755); // PostgreSQL's folder is in it, and PostgreSQL is another user
  }

  /** Says on stdout what comes next. */
  say(what: string, how: string): void {
    console.log(`\n== ${what}: ${how}`);
  }

  /** Starts an empty database with this superuser, and gives back its version. */
  async startPostgres(port: number, { user, password }: { user: string; password: string }): Promise<string> {
    const programs = postgresPrograms();
    const owner = databaseOwner();
    const [folder, passwordFile] = [join(this.#folder, 'postgres'), join(this.#folder, 'password')];
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (owner !== undefined) for (const path of [folder, passwordFile]) chownSync(path, owner.uid, owner.gid);
    const access = [`--username=${user}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
    const initdb = ['--pgdata', folder, '--encoding=UTF8', '--locale=C.UTF-8', ...access];
    if ((await this.#end(this.#spawn(join(programs, 'initdb'), initdb, {}, owner))) !== 0)
      throw new Error('initdb failed');
    const server = ['-D', folder, '-p', String(port), '-k', folder];
    this.#processes.push(this.#spawn(join(programs, 'postgres'), server, {}, owner));
    return execFileSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8' }).trim();
  }

  /** Starts a program that runs until the end; its log goes to ours. */
  start(command: string, parameters: readonly string[], environment: NodeJS.ProcessEnv): void {
    this.#processes.push(this.#spawn(command, parameters, environment));
  }

  /** Waits until something listens on the port. Throws where a started program ends before that. */
  async listens(port: number): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await isListening(port, POLL_MS))) {
      const ended = this.#processes.find((child) => !isRunning(child));
      if (ended !== undefined) throw new Error(`${ended.spawnargs.join(' ')} has ended`);
      if (Date.now() > deadline) throw new Error(`nothing listens on port ${port} after ${START_TIMEOUT_MS} ms`);
      await delay(POLL_MS);
    }
  }

  /** Runs a program to its end, and gives back its exit code. */
  run(command: string, parameters: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
    return this.#end(this.#spawn(command, parameters, environment));
  }

  /** Ends what was started, the last one first. */
  async stop(): Promise<void> {
    for (const child of this.#processes.reverse()) {
      if (!isRunning(child)) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    rmSync(this.#folder, { recursive: true });
  }

  async #end(child: ChildProcess): Promise<number> {
    const [code] = await once(child, 'exit');
    return code ?? 1;
  }

  #spawn(command: string, parameters: readonly string[], environment: NodeJS.ProcessEnv, owner?: Owner): ChildProcess {
    const { HOME } = process.env;
    const env = { HOME, ...environment, PATH: this.#path };
    return spawn(command, parameters, { ...owner, cwd: ROOT, env, stdio: ['ignore', 'inherit', 'inherit'] });
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

function build({ version, buildFolder }: MachineOptions): string {
  const folder = join(buildFolder, version);
  for (const program of ['server', 'tools/sql']) {
    const module = `go.temporal.io/server/cmd/${program}@v${version}`;
    if (existsSync(join(folder, program.replace('tools/', '')))) continue;
    console.log(`go install ${module}`);
    execFileSync(GO, ['install', module], { env: { ...process.env, GOBIN: folder }, stdio: 'inherit' });
  }
  return folder;
}

function postgresPrograms(): string {
  const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES).map(Number) : [];
  if (versions.length === 0) throw new Error(`no PostgreSQL in ${DEBIAN_POSTGRES}: apt-get install postgresql`);
  return join(DEBIAN_POSTGRES, String(Math.max(...versions)), 'bin');
}

/** Who owns the database: root may not, so there it is the user that Debian makes. Undefined is who we are. */
function databaseOwner(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (kind: string) => Number(execFileSync('id', [kind, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}
