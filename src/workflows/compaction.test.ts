import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anAnswer, answering, messagesOf, play } from '../../test/support/loop-fakes.ts';
import type { SummarizeResult } from '../protocol/activities.ts';
import { messagesProblem } from '../protocol/check-messages.ts';
import { callsOf, type Message, userMessage } from '../protocol/messages.ts';
import { NO_USAGE } from '../protocol/run.ts';
import { cutOf } from './compaction.ts';
import type { ModelAnswer, SummaryAnswer } from './loop-ports.ts';

const WINDOW = 10_000;
const compaction = { contextWindowTokens: WINDOW };

/** Asks for one call, in a context that has as many tokens after it. */
const looking = (id: string, contextTokens: number): ModelAnswer =>
  answering(anAnswer(id, 'x'.repeat(12_000), ['look', { id }]), { contextTokens });
const done = answering(anAnswer('z', 'Done.'), { contextTokens: 500 });
const overflow: ModelAnswer = { status: 'failed', reason: 'context_overflow', message: 'prompt is too long' };
const cutOff = answering(anAnswer('y', 'Half an'), { stopReason: 'context_overflow', rawStopReason: 'window' });

function summary(changes: Partial<SummarizeResult> = {}): SummaryAnswer {
  const result: SummarizeResult = {
    summary: userMessage('So far: looked.'),
    digest: 'after',
    contextTokens: 300,
    turnStart: { length: 1, digest: 'summary alone', tokens: 100 },
    model: 'fake/short',
    attempt: 1,
    usage: { ...NO_USAGE, inputTokens: 7, outputTokens: 3 },
    costUsdMicros: null,
    ...changes,
  };
  return { status: 'completed', result };
}

describe('compaction', () => {
  test('begins before the model call that would come near the window, and never without the option', async () => {
    const answers = [looking('a', 3_000), looking('b', 6_000), looking('c', 8_500), done];
    const played = await play({ snapshot: { compaction }, answers, summaries: [summary()] });
    expect(played.stop).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(played.asked).toEqual(['#1 fake/model', '#2 fake/model', '#3 fake/model', '#4 fake/model']);
    expect(played.plans).toEqual([{ cut: 5, turnStart: 0, model: 'fake/model' }]);
    const messages = messagesOf(played.transcript);
    expect(messages[0]).toEqual(userMessage('So far: looked.'));
    expect(callsOf(messages[1] as never)[0]?.callId).toBe('c0');
    expect(messagesProblem(messages)).toBeUndefined();
    const without = await play({ answers });
    expect(without.plans).toEqual([]);
  });

  test('names the old context as the parent of the new one, which stands on the digest of the summary', async () => {
    const answers = [looking('a', 3_000), looking('b', 8_500), done];
    const played = await play({ snapshot: { compaction }, answers: answers.slice(0, 2), summaries: [summary()] });
    expect(played.transcript.context).toBeGreaterThan(0);
    expect(JSON.parse(played.transcript.head)).toMatchObject({ parent: expect.any(String) });
  });

  test('counts what the summary cost to the turn and to the run', async () => {
    const answers = [looking('a', 3_000), looking('b', 8_500), done];
    const played = await play({ snapshot: { compaction }, answers, summaries: [summary()] });
    expect(played.state.turn.spend.usage).toMatchObject({ inputTokens: 67, outputTokens: 33 });
    expect(played.state.run.usage).toMatchObject({ inputTokens: 67, outputTokens: 33 });
  });

  test('stops at a limit that the summary itself uses up', async () => {
    const limits = { maxIterations: 10, maxCallsPerIteration: 64, maxTotalTokens: 65 };
    const answers = [looking('a', 3_000), looking('b', 8_500), done];
    const played = await play({ snapshot: { compaction, limits }, answers, summaries: [summary()] });
    expect(played.stop).toMatchObject({ status: 'limit_reached', reason: 'token_limit' });
    expect(played.plans).toHaveLength(1);
    expect(played.modelCalls).toBe(2);
  });

  test('is asked of its own model where it has one, else of the model that the turn has come to', async () => {
    const answers = [looking('a', 3_000), looking('b', 8_500), done];
    const own = { ...compaction, model: 'fake/short' };
    const asked = await play({ snapshot: { compaction: own }, answers, summaries: [summary()] });
    expect(asked.plans[0]?.model).toBe('fake/short');
    const down: ModelAnswer = { status: 'failed', reason: 'overloaded', message: 'busy' };
    const fallen = await play({
      snapshot: { compaction, fallbackModels: ['fake/second'] },
      answers: [down, ...answers],
      summaries: [summary()],
    });
    expect(fallen.plans[0]?.model).toBe('fake/second');
  });

  test('that fails is told, is not tried again in the turn, and the turn goes on without it', async () => {
    const failed: SummaryAnswer = { status: 'failed', reason: 'overloaded', message: 'busy' };
    const answers = [looking('a', 3_000), looking('b', 8_500), looking('c', 9_000), done];
    const played = await play({ snapshot: { compaction }, answers, summaries: [failed] });
    expect(played.stop).toMatchObject({ status: 'completed' });
    expect(played.plans).toHaveLength(1);
    expect(played.facts).toEqual([
      { type: 'compaction_failed', turn: 1, iteration: 2, reason: 'overloaded', text: 'busy' },
    ]);
  });

  test('that is cancelled ends the turn as cancelled', async () => {
    const answers = [looking('a', 3_000), looking('b', 8_500), done];
    const played = await play({ snapshot: { compaction }, answers, summaries: [{ status: 'cancelled' }] });
    expect(played.stop).toMatchObject({ status: 'cancelled' });
  });

  test.each([
    ['an error', overflow, 5],
    ['an answer that broke off at the end of the window', cutOff, 6],
  ])('follows an overflow that came as %s, once, and the same iteration is asked again', async (_, said, calls) => {
    const answers = [looking('a', 100), looking('b', 200), said, done];
    const played = await play({ snapshot: { compaction }, answers, summaries: [summary()] });
    expect(played.stop).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(played.asked).toEqual(['#1 fake/model', '#2 fake/model', '#3 fake/model', '#3 fake/model']);
    expect(played.plans).toHaveLength(1);
    // Each paid call counts once, also the one whose answer was dropped: 30 tokens each, and 10 for the summary.
    const { inputTokens, outputTokens } = played.state.run.usage;
    expect(inputTokens + outputTokens).toBe(10 + 30 * (calls - 2));
  });

  test('does not repeat itself when the context overflows for ever', async () => {
    const played = await play({
      snapshot: { compaction },
      answers: [looking('a', 100), looking('b', 200), overflow],
      summaries: [summary()],
    });
    expect(played.stop).toMatchObject({ status: 'failed', reason: 'context_overflow' });
    expect(played.plans).toHaveLength(1);
    expect(played.modelCalls).toBe(4);
  });

  test('follows only the first overflow of a turn', async () => {
    const answers = [
      looking('a', 100),
      looking('b', 200),
      overflow,
      looking('c', 100),
      looking('d', 200),
      overflow,
      done,
    ];
    const played = await play({ snapshot: { compaction }, answers, summaries: [summary()] });
    expect(played.stop).toMatchObject({ status: 'failed', reason: 'context_overflow' });
    expect(played.plans).toHaveLength(1);
  });

  test('does not happen after an overflow of a context that holds nothing to shorten', async () => {
    const played = await play({ snapshot: { compaction }, answers: [overflow], summaries: [summary()] });
    expect(played.stop).toMatchObject({ status: 'failed', reason: 'context_overflow' });
    expect(played.plans).toEqual([]);
  });

  test('counts an answer that broke off, and asks for no summary that a limit forbids', async () => {
    const limits = { maxIterations: 10, maxCallsPerIteration: 64, maxTotalTokens: 90 };
    const answers = [looking('a', 100), looking('b', 200), cutOff, done];
    const played = await play({ snapshot: { compaction, limits }, answers, summaries: [summary()] });
    expect(played.stop).toMatchObject({ status: 'limit_reached', reason: 'token_limit' });
    expect(played.plans).toEqual([]);
    expect(played.state.run.usage).toMatchObject({ inputTokens: 60, outputTokens: 30 });
  });

  test('does not ask the model once more where the summary has used up a limit', async () => {
    const limits = { maxIterations: 10, maxCallsPerIteration: 64, maxTotalTokens: 65 };
    const answers = [looking('a', 100), looking('b', 200), overflow, done];
    const played = await play({ snapshot: { compaction, limits }, answers, summaries: [summary()] });
    expect(played.stop).toMatchObject({ status: 'limit_reached', reason: 'token_limit' });
    expect(played.modelCalls).toBe(3);
  });

  test('counts an answer that broke off where the run is cancelled during the summary', async () => {
    const answers = [looking('a', 100), looking('b', 200), cutOff];
    const played = await play({ snapshot: { compaction }, answers, summaries: [{ status: 'cancelled' }] });
    expect(played.stop).toMatchObject({ status: 'cancelled' });
    expect(played.state.run.usage).toMatchObject({ inputTokens: 60, outputTokens: 30 });
  });

  test('does not put a summary into a summary for ever where instructions fill the window and summaries are long', async () => {
    const long = summary({
      contextTokens: 9_900,
      summary: { role: 'user', content: [{ type: 'text', text: 'y'.repeat(30_000), meta: { pawl: 'summary' } }] },
    });
    const answers = [looking('a', 9_000), looking('b', 9_900), done];
    const played = await play({ snapshot: { compaction }, answers, summaries: [long, long, { status: 'cancelled' }] });
    expect(played.stop).toMatchObject({ status: 'completed' });
    expect(played.plans).toHaveLength(1);
  });

  test('sees by what the provider counts how much it may keep, in a script with more tokens', async () => {
    const dense = (id: string, contextTokens: number) =>
      answering(anAnswer(id, '서울'.repeat(500), ['look', { id }]), { contextTokens });
    const answers = [dense('a', 3_000), dense('b', 6_000), dense('c', 9_000), done];
    const played = await play({ snapshot: { compaction }, answers, summaries: [summary()] });
    expect(played.plans).toEqual([{ cut: 5, turnStart: 0, model: 'fake/model' }]);
  });

  test('after an overflow leaves less than what the model has refused, however large the agent takes its window for', async () => {
    const wide = { contextWindowTokens: 1_000_000 };
    const answers = [looking('a', 3_000), looking('b', 6_000), looking('c', 9_000), overflow, done];
    const played = await play({ snapshot: { compaction: wide }, answers, summaries: [summary()] });
    expect(played.plans).toMatchObject([{ cut: 5 }]);
  });

  test('is tried once more after an overflow, also where no summary could be had before', async () => {
    const failed: SummaryAnswer = { status: 'failed', reason: 'overloaded', message: 'busy' };
    const answers = [looking('a', 3_000), looking('b', 8_500), looking('c', 9_000), overflow, done];
    const played = await play({ snapshot: { compaction }, answers, summaries: [failed, summary()] });
    expect(played.stop).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(played.plans).toHaveLength(2);
  });

  test('goes on in a long turn after one that failed, once an overflow has led to a summary', async () => {
    const failed: SummaryAnswer = { status: 'failed', reason: 'overloaded', message: 'busy' };
    const later = [looking('d', 3_000), looking('e', 6_000), looking('f', 9_000)];
    const answers = [looking('a', 3_000), looking('b', 8_500), looking('c', 9_000), overflow, ...later, done];
    const played = await play({ snapshot: { compaction }, answers, summaries: [failed, summary()] });
    expect(played.stop).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(played.plans).toHaveLength(3);
  });

  test("is asked of the turn's model where its own has none", async () => {
    const failed: SummaryAnswer = { status: 'failed', reason: 'auth', message: 'no key' };
    const own = { ...compaction, model: 'fake/short' };
    const answers = [looking('a', 3_000), looking('b', 8_500), done];
    const played = await play({ snapshot: { compaction: own }, answers, summaries: [failed, summary()] });
    expect(played.plans.map(({ model }) => model)).toEqual(['fake/short', 'fake/model']);
    expect(played.facts).toMatchObject([{ type: 'compaction_failed', reason: 'auth' }]);
    expect(played.transcript.context).toBe(1);
  });

  test('leaves of a turn that is forgotten after it only the summary, without an open call', async () => {
    const refused = answering(null, { stopReason: 'refusal' });
    const answers = [looking('a', 3_000), looking('b', 8_500), refused];
    const played = await play({ snapshot: { compaction }, answers, summaries: [summary()] });
    expect(played.stop).toMatchObject({ status: 'refused' });
    expect(messagesOf(played.transcript)).toEqual([userMessage('So far: looked.')]);
    expect(played.transcript).toMatchObject({ digest: 'summary alone', tokens: 100, open: [] });
  });
});

describe('the cut', () => {
  const text = fc.integer({ min: 1, max: 9_000 }).map((chars) => 'x'.repeat(chars));
  const iteration = fc.record({ text, calls: fc.integer({ min: 0, max: 3 }), result: text });

  /** A conversation of iterations, of which the last may wait for its results or have none. */
  function conversation(iterations: readonly { text: string; calls: number; result: string }[]): Message[] {
    return iterations.flatMap(({ text: said, calls, result }, n): Message[] => {
      const answer = anAnswer(`${n}_`, said, ...Array.from({ length: calls }, (): [string] => ['look']));
      const content = callsOf(answer).map(({ callId }) => ({
        type: 'result' as const,
        callId,
        content: [{ type: 'text' as const, text: result }],
      }));
      return [answer, { role: 'user', content: calls > 0 ? content : [{ type: 'text', text: 'Go on.' }] }];
    });
  }

  test('never takes a result from its call, and leaves what fits', () => {
    fc.assert(
      fc.property(fc.array(iteration, { minLength: 1, maxLength: 12 }), (iterations) => {
        const all: Message[] = [userMessage('go'), ...conversation(iterations)];
        const [messages, pending] = [all.slice(0, -1), all.slice(-1)];
        const cut = cutOf(messages, pending, WINDOW);
        const next = [userMessage('summary'), ...messages.slice(cut), ...pending];
        // Two messages of the user in a row are fine: adapters join them.
        expect(messagesProblem(next)).toBeUndefined();
        expect(cut).toBeGreaterThan(0);
        expect(messages[cut]?.role ?? 'assistant').toBe('assistant');
      }),
    );
  });

  test('leaves more where the window is larger', () => {
    const messages = [
      userMessage('go'),
      ...conversation(Array(10).fill({ text: 'x'.repeat(4_000), calls: 1, result: 'y' })),
    ];
    const cuts = [10_000, 20_000, 200_000].map((contextWindowTokens) => cutOf(messages, [], contextWindowTokens));
    expect(cuts).toEqual([17, 13, 1]);
  });
});
