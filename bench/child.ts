import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isolatedEnvironment } from '../test/support/environment.ts';

/** How a process of a bench is started. */
export interface ChildOptions {
  /** File beside this one. */
  readonly entry: string;
  /** Its first message. */
  readonly setup?: object;
  /** Where its output goes; appended to. */
  readonly logFile: string;
  readonly onMessage?: (message: unknown) => void;
}

/** A process of a bench. It ends with this one. */
export class Child {
  /** Resolves when it is gone. */
  readonly exited: Promise<unknown>;
  readonly #child: ChildProcess;
  readonly #name: string;

  constructor({ entry, setup, logFile, onMessage }: ChildOptions) {
    const log = openSync(logFile, 'a');
    this.#child = fork(fileURLToPath(new URL(entry, import.meta.url)), {
      execArgv: ['--import', 'tsx'],
      env: isolatedEnvironment(),
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    this.#name = `${entry} (log: ${logFile})`;
    this.exited = once(this.#child, 'exit');
    if (onMessage) this.#child.on('message', onMessage);
    if (setup) this.#child.send(setup);
  }

  /** Its next message. Throws where it ends before. */
  async next<T>(): Promise<T> {
    const [message] = await Promise.race([once(this.#child, 'message'), this.#endsTooSoon()]);
    return message as T;
  }

  /** Sends a message and gives the next one that comes. */
  ask<T>(message: object): Promise<T> {
    const answer = this.next<T>();
    this.#child.send(message);
    return answer;
  }

  /** Lets it end by itself. */
  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.send({ type: 'stop' });
    await this.exited;
  }

  /** SIGKILL. Returns when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }

  async #endsTooSoon(): Promise<never> {
    await this.exited;
    throw new Error(`${this.#name} ended before it was to`);
  }
}
