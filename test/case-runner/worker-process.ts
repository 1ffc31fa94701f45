import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isolatedEnvironment } from '../support/environment.ts';
import { REPORT_FD, type Report } from './reports.ts';
import { Sightings } from './sightings.ts';

const ENTRY = fileURLToPath(new URL('./case-worker.ts', import.meta.url));
/** The format's own pause between a kill and the next worker. */
const RESTART_PAUSE_MS = 500;

/** The worker processes of one case, one after the other, and all that they report. */
export class WorkerProcess {
  readonly reports = new Sightings<Report>();
  readonly #setupFile: string;

  readonly #output: Buffer[] = [];
  readonly #processes = new Set<ChildProcess>();
  #current: ChildProcess | undefined;
  #stopping = false;

  constructor(setupFile: string) {
    this.#setupFile = setupFile;
  }

  /** What the processes wrote to stdout and stderr. */
  get log(): string {
    return Buffer.concat(this.#output).toString();
  }

  /** Starts a process; it reports `ready` when it polls. */
  start(): void {
    const child = spawn(process.execPath, ['--import', 'tsx', ENTRY, this.#setupFile], {
      env: isolatedEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.#current = child;
    this.#processes.add(child);
    const dieWithRunner = () => child.kill('SIGKILL');
    process.once('exit', dieWithRunner);
    child.stdout?.on('data', (chunk: Buffer) => this.#output.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => this.#output.push(chunk));
    createInterface({ input: child.stdio[REPORT_FD] as Readable }).on('line', (line) =>
      this.reports.push(JSON.parse(line) as Report),
    );
    child.on('exit', (code, signal) => {
      this.#processes.delete(child);
      process.off('exit', dieWithRunner);
      if (child !== this.#current || this.#stopping) return;
      // A handler may have killed its own worker; anything else is a fault that the log explains.
      if (signal === 'SIGKILL') void this.#startAgain();
      else this.#output.push(Buffer.from(`the worker ended by itself with code ${code}\n`));
    });
  }

  /** Kills the process and starts the next one after a short pause. */
  async killAndRestart(): Promise<void> {
    const exited = once(this.#child(), 'exit');
    this.#child().kill('SIGKILL');
    await exited;
  }

  /** Asks the process to end and starts the next one beside it; gives the exit code of the old one. */
  async terminateAndReplace(): Promise<number | null> {
    const old = this.#child();
    const exited = once(old, 'exit');
    this.start();
    old.kill('SIGTERM');
    const [code] = await exited;
    return code as number | null;
  }

  /** Kills all processes of the case. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const exits = [...this.#processes].map((child) => once(child, 'exit'));
    for (const child of this.#processes) child.kill('SIGKILL');
    await Promise.all(exits);
  }

  async #startAgain(): Promise<void> {
    await sleep(RESTART_PAUSE_MS);
    if (!this.#stopping) this.start();
  }

  #child(): ChildProcess {
    if (this.#current === undefined) throw new Error('no worker was started');
    return this.#current;
  }
}
