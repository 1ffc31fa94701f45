import type { CrashSetup, Fate, Order } from './fates.ts';
import type { HandlerStart, Report } from './reports.ts';
import { type Exit, WorkerProcess } from './worker-process.ts';

/** What becomes of the workers during one run. */
export interface Plan {
  /** The tool in whose handler the fates wait. */
  readonly tool: string;
  /** Of the workers that are lost, in order. Whoever comes after them works. */
  readonly fates: readonly [Fate, ...Fate[]];
  /** How many workers start together after the last loss. Default 1. */
  readonly successors?: number;
}

/** Where a worker was when it was killed or told to stop, and when that was. */
export interface Loss {
  readonly where: string;
  readonly atMs: number;
}

/** What happened to the workers during one run. */
export interface Course {
  readonly losses: Loss[];
  /** Of handlers, over all processes, in order. */
  readonly starts: HandlerStart[];
  /** Of the workers that had a fate. */
  readonly exits: Promise<Exit>[];
  /** The worker that was at work at first, and those that took over. */
  readonly workers: WorkerProcess[];
}

/** Worker processes of one queue, one at a time: a spare one, loaded before, starts its work when that one is lost. */
export class Fleet {
  readonly #setup: CrashSetup;
  readonly #spares: WorkerProcess[] = [];
  #plan: Plan = { tool: '', fates: ['works'] };
  #course = newCourse();
  #atWork: WorkerProcess[] = [];
  /** Index of the fate that waits for the worker at work. */
  #fate = 0;

  constructor(setup: CrashSetup) {
    this.#setup = setup;
  }

  /** What waits for the worker that is at work. */
  get fate(): Fate {
    return this.#plan.fates[this.#fate] ?? 'works';
  }

  /** What the workers of the last run wrote. */
  get log(): string {
    return this.#course.workers.map(({ log }) => log).join('\n');
  }

  /** Sees to it that a worker is at work, with nothing to fear, and begins to load the spare ones that a plan needs. */
  async prepare({ fates, successors = 1 }: Plan): Promise<void> {
    const isStarting = this.#atWork.length === 0;
    const needed = fates.length - 1 + successors + (isStarting ? 1 : 0);
    while (this.#spares.length < needed) {
      const worker: WorkerProcess = new WorkerProcess((report) => this.#heed(worker, report));
      this.#spares.push(worker);
    }
    if (!isStarting) return;
    await this.#spares[0]?.loaded;
    this.#start();
  }

  /** Tells the worker at work its fate, once all spare ones are loaded. Gives what happens to it and those after it. */
  async carryOut(plan: Plan): Promise<Course> {
    await Promise.all(this.#spares.map(({ loaded }) => loaded));
    this.#plan = plan;
    this.#fate = 0;
    this.#course = { ...newCourse(), workers: [...this.#atWork], exits: this.#atWork.map(({ exited }) => exited) };
    await Promise.all(this.#atWork.map((worker) => worker.instruct({ order: this.#order() })));
    return this.#course;
  }

  /** Kills the worker that is at work. */
  kill(where: string): void {
    this.#course.losses.push({ where, atMs: Date.now() });
    this.#atWork[0]?.signal('SIGKILL');
  }

  /** Keeps one worker of those that started together. */
  async keepOne(): Promise<void> {
    await end(this.#atWork.splice(1));
  }

  /** Ends all processes. */
  async end(): Promise<void> {
    await end([...this.#atWork.splice(0), ...this.#spares.splice(0)]);
  }

  #order(): Order {
    return { fate: this.fate, tool: this.#plan.tool };
  }

  #start(): void {
    const worker = this.#spares.shift();
    if (!worker) throw new Error('no worker is left that could start');
    this.#atWork.push(worker);
    this.#course.workers.push(worker);
    if (this.fate !== 'works') this.#course.exits.push(worker.exited);
    void worker.instruct({ setup: this.#setup, order: this.#order() });
    void worker.exited.then(({ signal }) => {
      // One that is no longer at work was taken out on purpose.
      if (signal === 'SIGKILL' && this.#atWork.includes(worker)) this.#replace(worker);
    });
  }

  #replace(lost: WorkerProcess): void {
    this.#atWork = this.#atWork.filter((worker) => worker !== lost);
    this.#fate++;
    const isLast = this.#fate === this.#plan.fates.length;
    for (let count = isLast ? (this.#plan.successors ?? 1) : 1; count > 0; count--) this.#start();
  }

  #heed(worker: WorkerProcess, report: Report): void {
    if (report.type === 'dying') this.#course.losses.push({ where: report.where, atMs: Date.now() });
    if (report.type !== 'handler_started') return;
    this.#course.starts.push(report);
    const isStopped = this.fate === 'stopped_in_handler' || this.fate === 'stopped_in_long_handler';
    if (isStopped && report.tool === this.#plan.tool) this.#deploy(worker, report.tool);
  }

  /** As a deployment does it: the old worker is told to stop while the new one starts. */
  #deploy(old: WorkerProcess, tool: string): void {
    this.#course.losses.push({ where: `by SIGTERM in the handler of ${tool}`, atMs: Date.now() });
    old.signal('SIGTERM');
    this.#replace(old);
  }
}

function newCourse(): Course {
  return { losses: [], starts: [], exits: [], workers: [] };
}

async function end(workers: readonly WorkerProcess[]): Promise<void> {
  for (const worker of workers) worker.signal('SIGKILL');
  await Promise.all(workers.map(({ exited }) => exited));
}
