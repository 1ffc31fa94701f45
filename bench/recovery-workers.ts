import type { FakeModelApi } from '../test/fake-model-api/fake-model-api.ts';
import { Child } from './child.ts';
import { CALLS, isOfFatalIteration, type Point, type RecoveryMessage, type RecoverySetup } from './recovery-setup.ts';

/** What one kill cost, in ms. */
export interface Kill {
  /** From the start of the next process to the moment when its worker polls. */
  readonly processStartToUpMs: number;
  readonly upToNextModelCallMs: number;
  readonly killToNextModelCallMs: number;
  /** Model requests and handlers that ran again though their results had been recorded. */
  readonly repeatedCompletedCalls: number;
}

/** The worker that is to be killed, and the one that follows it. */
export class Workers {
  readonly #point: Point;
  readonly #logFile: string;
  readonly #children: Child[] = [];
  readonly #starts: string[] = [];
  #setup: Omit<RecoverySetup, 'point'> | undefined;
  #killedAtMs: number | undefined;
  #fatal = 0;
  #startedAtMs = 0;
  #upAtMs: number | undefined;

  constructor(point: Point, logFile: string) {
    this.#point = point;
    this.#logFile = logFile;
  }

  /** True from the moment of the kill. */
  get killed(): boolean {
    return this.#killedAtMs !== undefined;
  }

  /** Starts the first one, and waits until it is up. */
  async start(setup: Omit<RecoverySetup, 'point'>): Promise<void> {
    this.#setup = setup;
    await this.#spawn(this.#point).next();
  }

  /** Kills the first one, and starts the next as soon as it is gone. */
  replace(): void {
    if (this.killed) return;
    this.#killedAtMs = Date.now();
    void this.#children[0]?.kill().then(() => {
      this.#startedAtMs = Date.now();
      this.#spawn('none');
    });
  }

  /** What the kill cost, once the run has ended. Throws where there was none. */
  sample({ requests, repeatedCompleted }: FakeModelApi): Kill {
    const [killedAtMs, upAtMs] = [this.#killedAtMs, this.#upAtMs];
    if (killedAtMs === undefined || upAtMs === undefined) throw new Error('no worker was killed and replaced');
    const next = requests.find(({ at }) => at > killedAtMs);
    if (!next) throw new Error('the model was not asked again');
    return {
      processStartToUpMs: upAtMs - this.#startedAtMs,
      upToNextModelCallMs: next.at - upAtMs,
      killToNextModelCallMs: next.at - killedAtMs,
      repeatedCompletedCalls: repeatedCompleted + this.#repeatedHandlers(),
    };
  }

  /** Ends all that are left. */
  async end(): Promise<void> {
    await Promise.all(this.#children.map((child) => child.kill()));
  }

  #spawn(point: RecoverySetup['point']): Child {
    const child = new Child({
      entry: 'recovery-worker-process.ts',
      setup: { ...this.#setup, point },
      logFile: this.#logFile,
      onMessage: (message) => this.#heed(message as RecoveryMessage),
    });
    this.#children.push(child);
    return child;
  }

  /** Calls of tools start one by one, and only those that have started are in the lease journal: all are waited for. */
  #heed(message: RecoveryMessage): void {
    if (message.type === 'fatal') this.#fatal++;
    if (this.#fatal === (this.#point === 'between_iterations' ? 1 : CALLS)) this.replace();
    if (message.type === 'ready' && this.killed) this.#upAtMs = Date.now();
    if (message.type === 'handler_started') this.#starts.push(message.callId);
  }

  /** No call of the fatal iteration had ended before the kill; all others ran once, or their results were lost. */
  #repeatedHandlers(): number {
    const ended = this.#starts.filter((callId) => !isOfFatalIteration(callId));
    const fatalModelCall = this.#point === 'in_model_call' || this.#point === 'between_iterations';
    const counted = fatalModelCall ? this.#starts : ended;
    return counted.length - new Set(counted).size;
  }
}
