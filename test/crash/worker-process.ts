import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { isolatedEnvironment } from '../support/environment.ts';
import type { Instruction } from './fates.ts';
import { REPORT_FD, type Report } from './reports.ts';

const ENTRY = fileURLToPath(new URL('./crash-worker.ts', import.meta.url));

/** How a process ended. */
export interface Exit {
  readonly pid: number | undefined;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A worker process: loaded as soon as it is made, and at work from its first instruction on. */
export class WorkerProcess {
  /** Resolves when its code is in memory, or when it has ended. */
  readonly loaded: Promise<unknown>;
  /** Resolves when it has ended and all that it wrote has been read. */
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #output: Buffer[] = [];
  readonly #waiting: { readonly type: Report['type']; resolve(): void }[] = [];

  constructor(onReport: (report: Report) => void) {
    this.#child = spawn(process.execPath, ['--import', 'tsx', ENTRY], {
      env: isolatedEnvironment(),
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => this.#output.push(chunk));
    }
    const { pid } = this.#child;
    this.exited = new Promise((resolve) => this.#child.once('close', (code, signal) => resolve({ pid, code, signal })));
    createInterface({ input: this.#child.stdio[REPORT_FD] as Readable }).on('line', (line) => {
      const report = JSON.parse(line) as Report;
      const [first] = this.#waiting;
      if (first?.type === report.type) this.#waiting.shift()?.resolve();
      onReport(report);
    });
    this.loaded = this.#next('loaded');
  }

  /** What the process wrote to stdout and stderr. */
  get log(): string {
    return Buffer.concat(this.#output).toString();
  }

  /** Resolves when the instruction is in force, or when the process has ended. */
  instruct(instruction: Instruction): Promise<unknown> {
    const told = this.#next('told');
    // Its standard input stays open: the process ends when this one does.
    (this.#child.stdin as Writable).write(`${JSON.stringify(instruction)}\n`);
    return told;
  }

  signal(name: 'SIGTERM' | 'SIGKILL'): void {
    this.#child.kill(name);
  }

  #next(type: Report['type']): Promise<unknown> {
    const reported = new Promise<void>((resolve) => this.#waiting.push({ type, resolve }));
    return Promise.race([reported, this.exited]);
  }
}
