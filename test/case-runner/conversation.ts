import type { AgentClient } from '../../src/client/agent-client.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { RunRequest, RunResult } from '../../src/protocol/run.ts';
import type { CaseInput } from './case-format.ts';
import { AGENT } from './case-tools.ts';
import type { ObservedTurn } from './observed.ts';
import { Sightings } from './sightings.ts';

/** The user's side of a case: says the inputs, one after the other, and notes how each was answered. */
export class Conversation {
  /** How each input was answered, in order. */
  readonly turns = new Sightings<ObservedTurn>();
  /** Of all runs of the conversation, in order. */
  readonly events: RunEvent[] = [];
  /** Ids of the runs: more than one where a run ended before the last input. */
  readonly runIds: string[] = [];
  /** From the first cancel to the end of its run. */
  cancelMs: number | undefined;
  readonly #client: AgentClient;
  readonly #idPrefix: string;
  readonly #signal: AbortSignal;
  #seen = new Sightings<RunEvent>();
  #following: Promise<void> = Promise.resolve();
  #cancelledAt: number | undefined;

  constructor(client: AgentClient, idPrefix: string, signal: AbortSignal) {
    this.#client = client;
    this.#idPrefix = idPrefix;
    this.#signal = signal;
  }

  /** Says all inputs and returns when the last run has ended. An input without `after` does not wait for an answer. */
  async hold(inputs: readonly CaseInput[]): Promise<void> {
    const mode = inputs.length > 1 ? 'chat' : 'task';
    let unanswered = 0;
    for (const [at, { user, after }] of inputs.entries()) {
      if (after === 'cancelled') await this.#finished();
      const turn = await this.#say(user, mode);
      unanswered++;
      const next = inputs[at + 1];
      if (next !== undefined && next.after === undefined) continue;
      const answer = mode === 'chat' ? await this.#settled(turn) : turnOfResult(await this.#finished());
      for (; unanswered > 0; unanswered--) this.turns.push(answer);
    }
    await this.#end(mode);
  }

  /** Says something beside the inputs, whatever the run is doing. */
  async interject(text: string): Promise<void> {
    await this.#client.send(this.runId, text);
  }

  async cancel(): Promise<void> {
    this.#cancelledAt ??= performance.now();
    await this.#client.cancel(this.runId);
  }

  /** Id of the newest run. Throws before the first has started. */
  get runId(): string {
    const id = this.runIds.at(-1);
    if (id === undefined) throw new Error('no run has started');
    return id;
  }

  async #end(mode: 'chat' | 'task'): Promise<void> {
    const isOver = this.#seen.count(isEnd) > 0 || this.turns.all.at(-1)?.status === 'cancelled';
    if (mode === 'chat' && !isOver) await this.#client.close(this.runId);
    await this.#finished();
    await this.#following;
  }

  /** Gives the number of the turn that answers. */
  async #say(text: string, mode: 'chat' | 'task'): Promise<number> {
    if (this.runIds.length === 0) return this.#start({ agent: AGENT, prompt: text, mode });
    if (this.#seen.count(isEnd) > 0) {
      const messages = await this.#client.transcript(this.runId);
      return this.#start({ agent: AGENT, prompt: text, messages, mode });
    }
    const { turn } = await this.#client.send(this.runId, text);
    return turn;
  }

  async #start(request: RunRequest): Promise<number> {
    const id = `${this.#idPrefix}-${this.runIds.length + 1}`;
    const seen = new Sightings<RunEvent>();
    await this.#client.start(request, { id });
    this.runIds.push(id);
    this.#seen = seen;
    this.#following = this.#follow(id, seen);
    return 1;
  }

  async #follow(id: string, seen: Sightings<RunEvent>): Promise<void> {
    for await (const event of this.#client.events(id, { signal: this.#signal })) {
      if (isEnd(event) && this.#cancelledAt !== undefined) this.cancelMs ??= performance.now() - this.#cancelledAt;
      this.events.push(event);
      seen.push(event);
    }
  }

  /** The result of the newest run, once it has one; rejects when the following of its events breaks. */
  async #finished(): Promise<RunResult> {
    const end = await Promise.race([this.#seen.nth(1, isEnd, this.#signal), this.#brokenOff()]);
    if (end.type !== 'run_finished') throw new Error('no end of a run');
    return end.result;
  }

  async #settled(turn: number): Promise<ObservedTurn> {
    const fits = (event: RunEvent) => isSettled(event) && event.turn >= turn;
    const end = await Promise.race([this.#seen.nth(1, fits, this.#signal), this.#brokenOff()]);
    return end.type === 'run_finished' ? turnOfResult(end.result) : turnOfEvent(end, this.#seen.all);
  }

  /** Rejects when the events end without the end of the run; else it never settles. */
  async #brokenOff(): Promise<never> {
    await this.#following;
    if (this.#seen.count(isEnd) === 0) throw new Error('the events of the run broke off');
    return new Promise<never>(() => undefined);
  }
}

function isEnd(event: RunEvent): boolean {
  return event.type === 'run_finished';
}

/** Nothing is left to answer. */
function isSettled(event: RunEvent): boolean {
  return isEnd(event) || (event.type === 'turn_finished' && event.queued === 0);
}

function turnOfResult({ status, reason, text, emptyAnswer = false }: RunResult): ObservedTurn {
  return { status, reason, text, emptyAnswer };
}

function turnOfEvent(end: RunEvent, events: readonly RunEvent[]): ObservedTurn {
  if (end.type !== 'turn_finished') throw new Error(`not the end of a turn: ${end.type}`);
  const texts = events
    .filter((event) => event.turn === end.turn)
    .flatMap((event) => (event.type === 'final_text' ? [event.text] : []));
  return { status: end.status, reason: end.reason, text: texts.at(-1) ?? '', emptyAnswer: end.emptyAnswer ?? false };
}
