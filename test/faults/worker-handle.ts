import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { REPORT_FD } from '../crash/reports.ts';
import { isolatedEnvironment } from '../support/environment.ts';
import type { Command, Report } from './points.ts';

const ENTRY = fileURLToPath(new URL('./fault-worker.ts', import.meta.url));

/** A worker process: it loads when it is made, and works from its first command on. */
export class WorkerHandle {
  /** Resolves when it has ended and all that it wrote has been read. */
  readonly exited: Promise<NodeJS.Signals | number | null>;
  readonly #child: ChildProcess;
  readonly #output: Buffer[] = [];
  readonly #loaded: Promise<void>;
  readonly #waiting: { readonly type: Report['type']; resolve(): void }[] = [];

  constructor(onReport: (report: Report) => void, env: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(process.execPath, ['--import', 'tsx', ENTRY], {
      env: isolatedEnvironment(env),
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => this.#output.push(chunk));
    }
    this.exited = new Promise((resolve) => this.#child.once('close', (code, signal) => resolve(signal ?? code)));
    createInterface({ input: this.#child.stdio[REPORT_FD] as Readable }).on('line', (line) => {
      const report = JSON.parse(line) as Report;
      onReport(report);
      const at = this.#waiting.findIndex(({ type }) => type === report.type);
      if (at >= 0) this.#waiting.splice(at, 1)[0]?.resolve();
    });
    this.#loaded = this.next('loaded');
  }

  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error('the worker process was not started');
    return pid;
  }

  /** What the process wrote to stdout and stderr. */
  get log(): string {
    return Buffer.concat(this.#output).toString();
  }

  /** Sends a command, once the process can hear it. */
  async tell(command: Command): Promise<void> {
    await this.#loaded;
    const answered = command.type === 'order' ? this.next('ordered') : undefined;
    // Its standard input stays open: the process ends when this one does.
    (this.#child.stdin as Writable).write(`${JSON.stringify(command)}\n`);
    await answered;
  }

  /** Resolves at the next report of a type; rejects where the process ends before it. */
  next(type: Report['type']): Promise<void> {
    const reported = new Promise<void>((resolve) => this.#waiting.push({ type, resolve }));
    const ended = this.exited.then((how) => {
      throw new Error(`the worker ended (${how}) before it reported ${type}:\n${this.log}`);
    });
    ended.catch(() => undefined); // whoever waits hears of it through the race
    return Promise.race([reported, ended]);
  }

  /** Ends it by SIGKILL. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }
}
