// What must hold of a chat, whatever models answer, wherever contexts overflow and whatever summaries look like.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anAnswer, answering, aSnapshot, messagesOf } from '../../test/support/loop-fakes.ts';
import type { SummarizeResult } from '../protocol/activities.ts';
import { messagesProblem } from '../protocol/check-messages.ts';
import type { Message } from '../protocol/messages.ts';
import { userMessage } from '../protocol/messages.ts';
import { NO_USAGE, totalTokens } from '../protocol/run.ts';
import { estimateTokens } from '../protocol/tokens.ts';
import { runTurn } from './loop.ts';
import type { CompactionPlan, LoopPorts, LoopState, ModelAnswer, SummaryAnswer } from './loop-ports.ts';
import { newTranscript, type Transcript } from './transcript.ts';
import { beginTurn, noSpend } from './turn.ts';

const WINDOW = 4_000;
const PAID = 30;

const KINDS = [
  'calls',
  'calls',
  'calls',
  'text',
  'overflow',
  'cut_off',
  'refusal',
  'pause',
  'malformed',
  'empty',
  'cut_call',
  'unfit',
  'busy',
  'invalid',
];
const step = fc.record({
  kind: fc.constantFrom(...KINDS),
  chars: fc.nat(6_000),
  calls: fc.integer({ min: 1, max: 3 }),
});
const summary = fc.record({
  kind: fc.constantFrom('short', 'short', 'long', 'failed'),
  chars: fc.integer({ min: 1, max: 30_000 }),
});
const chat = fc.record({
  steps: fc.array(step, { maxLength: 30 }),
  summaries: fc.array(summary, { minLength: 1, maxLength: 5 }),
  said: fc.array(fc.option(fc.nat(8_000), { freq: 3 }), { maxLength: 30 }),
  turns: fc.integer({ min: 1, max: 4 }),
  headTokens: fc.nat(2 * WINDOW),
  /** Tokens that the provider counts for one that is estimated. */
  density: fc.double({ min: 0.5, max: 6, noNaN: true }),
  cancelAt: fc.option(fc.nat(40), { freq: 4 }),
  maxTotalTokens: fc.option(fc.nat(1_000)),
});
type Chat = typeof chat extends fc.Arbitrary<infer T> ? T : never;

/** Not a good hash, but a different one for every conversation of a test. */
function digestOf(head: string, lines: readonly string[]): string {
  const text = [head, ...lines].join('\n');
  let [hash, other] = [7, 11];
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash, 31) + text.charCodeAt(i);
    other = Math.imul(other, 1_000_003) ^ text.charCodeAt(i);
  }
  return `${hash}/${other}`;
}

class World {
  readonly transcript: Transcript;
  readonly run = { ...noSpend(), startedAtMs: 0 };
  asked = 0;
  summarized = 0;
  paid = 0;
  paused = false;
  readonly chat: Chat;
  readonly snapshot: LoopState['snapshot'];
  state: LoopState | undefined;

  constructor(chat: Chat) {
    this.chat = chat;
    const { maxTotalTokens } = chat;
    this.snapshot = aSnapshot({
      compaction: { contextWindowTokens: WINDOW },
      fallbackModels: ['fake/second'],
      mode: 'chat',
      limits: { maxIterations: 10, maxCallsPerIteration: 64, ...(maxTotalTokens !== null && { maxTotalTokens }) },
    });
    this.transcript = newTranscript(this.snapshot);
    this.transcript.digest = digestOf(this.transcript.head, []);
  }

  get isCancelled(): boolean {
    return this.chat.cancelAt !== null && this.asked + this.summarized > this.chat.cancelAt;
  }

  ports(): LoopPorts {
    return {
      callModel: async () => this.#answer(),
      summarize: async (_, __, plan) => this.#summary(plan),
      runCall: () => async (request) => ({
        callId: request.call.callId,
        outcome: 'completed',
        content: [{ type: 'text', text: 'r'.repeat(1 + Number(request.call.input['chars'] ?? 0)) }],
      }),
      takeQueued: () => {
        const chars = this.chat.said[this.asked];
        return chars === null || chars === undefined ? [] : [userMessage('s'.repeat(chars + 1))];
      },
      queued: () => 0,
      fact: () => undefined,
      nowMs: () => 0,
      cancelRequested: () => this.isCancelled,
      linkIsFull: () => false,
    };
  }

  #answer(): ModelAnswer {
    this.#checkLimit();
    this.asked++;
    expect(this.asked + this.summarized).toBeLessThan(250);
    const { transcript } = this;
    const shown = messagesOf(transcript);
    expect(messagesProblem(shown)).toBeUndefined();
    if (!this.paused) expect(shown.at(-1)?.role).toBe('user');
    if (this.isCancelled) return { status: 'cancelled' };
    const said = this.#step();
    if (said.status === 'completed') {
      this.paid += PAID;
      const { stopReason } = said.result;
      if (stopReason !== 'context_overflow') this.paused = stopReason === 'pause_turn';
    }
    return said;
  }

  #step(): ModelAnswer {
    const { kind, chars, calls } = this.chat.steps[this.asked - 1] ?? { kind: 'text', chars: 10, calls: 1 };
    const id = `c${this.asked}_`;
    const text = 'x'.repeat(chars + 1);
    const asks = Array.from({ length: calls }, (): [string, object] => ['look', { chars, id }]);
    switch (kind) {
      case 'calls':
        return this.#answering(anAnswer(id, text, ...asks));
      case 'overflow':
        return { status: 'failed', reason: 'context_overflow', message: 'too long' };
      case 'cut_off':
        return this.#answering(anAnswer(id, text), { stopReason: 'context_overflow' });
      case 'refusal':
        return this.#answering(null, { stopReason: 'refusal' });
      case 'pause':
        return this.#answering(anAnswer(id, text), { stopReason: 'pause_turn' });
      case 'malformed':
        return this.#answering(null, { stopReason: 'malformed_call' });
      case 'empty':
        return this.#answering(null);
      case 'cut_call':
        return this.#answering(anAnswer(id, text, ...asks), {
          stopReason: 'max_tokens',
          verdicts: asks.map(() => ({ status: 'cut', text: 'It was cut.' })),
        });
      case 'unfit':
        return this.#answering(anAnswer(id, text), { outputProblem: 'no' });
      case 'busy':
        return { status: 'failed', reason: 'overloaded', message: 'busy' };
      case 'invalid':
        return { status: 'failed', reason: 'invalid_request', message: 'no' };
      default:
        return this.#answering(anAnswer(id, text));
    }
  }

  #answering(message: Parameters<typeof answering>[0], changes: Parameters<typeof answering>[1] = {}): ModelAnswer {
    const { head, lines, pending } = this.transcript;
    const next = [...lines, ...[...pending, ...(message ? [message] : [])].map((one) => JSON.stringify(one))];
    return answering(message, { digest: digestOf(head, next), contextTokens: this.#tokens(next), ...changes });
  }

  #tokens(lines: readonly string[]): number {
    const estimate = lines.reduce((sum, line) => sum + estimateTokens(JSON.parse(line) as Message), 0);
    return Math.ceil((this.chat.headTokens + estimate) * Math.max(1, this.chat.density));
  }

  #summary({ cut, turnStart }: CompactionPlan): SummaryAnswer {
    this.#checkLimit();
    const { summaries } = this.chat;
    const { kind, chars } = summaries[this.summarized % summaries.length] ?? { kind: 'short', chars: 1 };
    this.summarized++;
    expect(this.asked + this.summarized).toBeLessThan(250);
    const { lines, head, digest } = this.transcript;
    expect(cut).toBeGreaterThan(0);
    expect(cut).toBeLessThanOrEqual(lines.length);
    if (this.isCancelled) return { status: 'cancelled' };
    if (kind === 'failed') return { status: 'failed', reason: 'overloaded', message: 'busy' };
    this.paid += PAID;
    const text = { type: 'text', text: 'y'.repeat(kind === 'long' ? chars : 40), meta: { pawl: 'summary' } } as const;
    const message = { role: 'user', content: [text] } as const;
    const nextHead = JSON.stringify({ ...JSON.parse(head), parent: digest });
    const next = [JSON.stringify(message), ...lines.slice(cut)];
    const start = next.slice(0, 1 + Math.max(cut, turnStart) - cut);
    const result: SummarizeResult = {
      summary: message,
      digest: digestOf(nextHead, next),
      contextTokens: this.#tokens(next),
      turnStart: { length: start.length, digest: digestOf(nextHead, start), tokens: this.#tokens(start) },
      model: 'fake/short',
      attempt: 1,
      usage: { ...NO_USAGE, inputTokens: PAID },
      costUsdMicros: null,
    };
    return { status: 'completed', result };
  }

  /** No call of a model is made once a limit is used up. */
  #checkLimit(): void {
    const { maxTotalTokens } = this.chat;
    if (maxTotalTokens !== null) expect(this.paid).toBeLessThan(maxTotalTokens);
  }

  async playTurn(turn: number): Promise<void> {
    const { snapshot, transcript, run } = this;
    this.paused = false;
    const state = { snapshot, transcript, turn: beginTurn(turn, transcript, [userMessage(`go ${turn}`)]), run };
    const paidBefore = this.paid;
    const stop = await runTurn(state, this.ports());
    expect(stop).not.toBe('link_full');
    expect(messagesProblem(messagesOf(transcript))).toBeUndefined();
    expect(transcript.open).toEqual([]);
    expect(transcript.digest).toBe(digestOf(transcript.head, transcript.lines));
    expect(totalTokens(run.usage)).toBe(this.paid);
    expect(totalTokens(state.turn.spend.usage)).toBe(this.paid - paidBefore);
  }
}

const calm = { said: [], headTokens: 0, density: 1, cancelAt: null, maxTotalTokens: null, turns: 2 } as const;
const short = [{ kind: 'short' as const, chars: 1 }];
const stepsOf = (...kinds: string[]) => kinds.map((kind) => ({ kind, chars: 700, calls: 1 }));
const cutThrice = ['cut_call', 'cut_call', 'cut_call'];
/** A turn that is forgotten after a compaction, where the turn before has left results that nobody was shown. */
const EXAMPLES: [Chat][] = [
  [{ ...calm, said: [], summaries: short, steps: stepsOf(...cutThrice, 'calls', 'calls', 'overflow', 'refusal') }],
  [{ ...calm, said: [], summaries: short, steps: stepsOf(...cutThrice, 'overflow', 'refusal') }],
];

test('every turn ends with a valid transcript, the right digest and all that was paid for', async () => {
  await fc.assert(
    fc.asyncProperty(chat, async (one) => {
      const world = new World(one);
      for (let turn = 1; turn <= one.turns && !world.isCancelled; turn++) await world.playTurn(turn);
    }),
    { numRuns: 200, examples: EXAMPLES },
  );
});
