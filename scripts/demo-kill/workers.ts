import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Config } from '../../src/config.ts';
import type { Fact } from './facts.ts';

const ENTRY = join(import.meta.dirname, '..', 'demo-kill-worker.ts');

/** Where a worker is killed. */
export interface Kill {
  /** The moment, in words. */
  readonly moment: string;
  /** Whether a fact is that moment. */
  isNow(fact: Fact): boolean;
}

/** What happens to the workers, as it happens. */
export type Watch = (
  news:
    | { readonly type: 'fact'; readonly fact: Fact }
    | { readonly type: 'up'; readonly worker: string }
    | { readonly type: 'killed'; readonly worker: string; readonly moment: string }
    /** A worker ended that nobody killed; it has said why on stderr. */
    | { readonly type: 'broken'; readonly worker: string },
) => void;

/** Worker processes, one at a time. Each is killed at the next moment of the list; the one after the last lives. */
export class Workers {
  readonly #config: Config;
  readonly #taskQueue: string;
  readonly #kills: readonly Kill[];
  readonly #watch: Watch;
  #child: ChildProcess | undefined;

  constructor(config: Config, taskQueue: string, kills: readonly Kill[], watch: Watch) {
    this.#config = config;
    this.#taskQueue = taskQueue;
    this.#kills = kills;
    this.#watch = watch;
  }

  start(): void {
    this.#start(0);
  }

  /** Stops the worker that is left, as a deployment would. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }

  #start(index: number): void {
    const { environment, home } = this.#config;
    const child = fork(ENTRY, [this.#taskQueue], {
      execArgv: ['--import', 'tsx'],
      env: { ...environment, PAWL_HOME: home },
      detached: true, // Ctrl-C is for the script, which stops its worker itself
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    const worker = `Worker ${index + 1} (process ${child.pid})`;
    child.on('message', (fact) => {
      if (child === this.#child) this.#heed(index, worker, fact as Fact);
    });
    child.once('exit', () => {
      if (child === this.#child) this.#watch({ type: 'broken', worker });
    });
  }

  #heed(index: number, worker: string, fact: Fact): void {
    this.#watch({ type: 'fact', fact });
    if (fact.type === 'ready') this.#watch({ type: 'up', worker });
    const kill = this.#kills[index];
    if (!kill?.isNow(fact)) return;
    this.#child?.kill('SIGKILL');
    this.#start(index + 1);
    this.#watch({ type: 'killed', worker, moment: kill.moment });
  }
}
