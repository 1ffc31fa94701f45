import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anAnswer, answering, aTool, messagesOf, play } from '../../test/support/loop-fakes.ts';
import { messagesProblem } from '../protocol/check-messages.ts';
import { OUTCOMES } from '../protocol/run.ts';
import type { ModelAnswer } from './loop-ports.ts';

const done = answering(anAnswer('z', 'Done.'));
const looking = (id: string): ModelAnswer => answering(anAnswer(id, '', ['look', { id }]));

describe('loop', () => {
  test('asks, runs the calls, gives the results back, and ends with the answer', async () => {
    const played = await play({ answers: [answering(anAnswer('a', 'Looking.', ['look'], ['save'])), done] });
    expect(played.stop).toEqual({ status: 'completed', text: 'Done.', textIsAnswer: true });
    expect(played.modelCalls).toBe(2);
    expect(messagesOf(played.transcript).map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(played.state.turn.spend.usage).toMatchObject({ inputTokens: 40, outputTokens: 20 });
  });

  test('calls beyond the fan-out limit are skipped, and the model is told', async () => {
    const played = await play({
      snapshot: { limits: { maxIterations: 10, maxCallsPerIteration: 1 } },
      answers: [answering(anAnswer('a', '', ['look'], ['save'])), done],
    });
    expect(played.ran.map((request) => request.call.callId)).toEqual(['a0']);
    expect(played.facts).toContainEqual(expect.objectContaining({ type: 'call_skipped', callId: 'a1' }));
    expect(JSON.stringify(messagesOf(played.transcript)[2])).toContain('save was not run: only 1 calls may run');
  });

  test('at most 16 calls run at once', async () => {
    const calls = Array.from({ length: 40 }, (_, i): [string, object] => ['look', { i }]);
    const played = await play({ answers: [answering(anAnswer('a', '', ...calls)), done] });
    expect(played.ran).toHaveLength(40);
    expect(played.parallel).toBe(16);
  });

  test('calls are quick only when every call of the iteration is', async () => {
    const tools = [aTool('look', { quick: true }), aTool('save')];
    const mixed = await play({
      snapshot: { tools },
      answers: [answering(anAnswer('a', '', ['look'], ['save'])), done],
    });
    const all = await play({ snapshot: { tools }, answers: [answering(anAnswer('a', '', ['look'], ['look'])), done] });
    expect(mixed.ran.map((request) => request.quick)).toEqual([false, false]);
    expect(all.ran.map((request) => request.quick)).toEqual([true, true]);
  });

  test('an unknown call is answered with its verdict and never runs', async () => {
    const verdicts = [{ status: 'unknown_tool' as const, text: 'There is no tool lok. There are: look, save.' }];
    const played = await play({ answers: [answering(anAnswer('a', '', ['lok']), { verdicts }), done] });
    expect(played.ran).toEqual([]);
    expect(JSON.stringify(messagesOf(played.transcript)[2])).toContain('There is no tool lok');
  });

  test('the iteration limit stops the turn after the last iteration has run its calls', async () => {
    const played = await play({
      snapshot: { limits: { maxIterations: 3, maxCallsPerIteration: 64 } },
      answers: [looking('a'), looking('b'), looking('c'), done],
    });
    expect(played.stop).toMatchObject({ status: 'limit_reached', reason: 'iteration_limit' });
    expect(played.ran).toHaveLength(3);
    expect(played.modelCalls).toBe(3);
  });

  test('the sentence of a limit says which, its value, what was spent and what happened last', async () => {
    const failing = {
      outcome: 'failed' as const,
      content: [{ type: 'text' as const, text: 'no city named Atlantis' }],
    };
    const usage = { inputTokens: 400, outputTokens: 31, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 9 };
    const answers = Array.from({ length: 10 }, (_, i) =>
      answering(anAnswer(`a${i}`, '', ['look', { i }]), { usage, costUsdMicros: 0 }),
    );
    const played = await play({
      answers,
      runCall: async ({ call }) => ({ callId: call.callId, ...failing }),
    });
    expect(played.stop).toMatchObject({
      text: 'Stopped: 10 iterations used (limit 10). Spent 4 310 tokens. Last: look failed: no city named Atlantis',
    });
    expect(played.state.turn.spend.usage.reasoningTokens).toBe(90);
    expect(played.facts.at(-1)).toMatchObject({ type: 'limit_reached', limit: 'maxIterations', value: 10, spent: 10 });
  });

  test.each([
    ['maxTotalTokens', 45, 'token_limit', 'Stopped: 60 tokens used (limit 45). Spent 60 tokens. Last: look completed'],
    ['maxCostUsdMicros', 900, 'cost_limit', 'Stopped: $0.0010 used (limit $0.0009). Spent 60 tokens, $0.0010.'],
    ['maxDurationMs', 2_000, 'time_limit', 'Stopped: 3 s used (limit 2 s). Spent 60 tokens. Last: look completed'],
  ])('%s stops before the calls that would go over it', async (limit, value, reason, sentence) => {
    let time = 0;
    const cost = { costUsdMicros: limit === 'maxCostUsdMicros' ? 500 : 0 };
    const played = await play({
      snapshot: { limits: { maxIterations: 10, maxCallsPerIteration: 64, [limit]: value } },
      answers: [
        answering(anAnswer('a', '', ['look']), cost),
        answering(anAnswer('b', '', ['look', { n: 2 }]), cost),
        done,
      ],
      clockMs: () => (limit === 'maxDurationMs' ? time++ * 1_000 : 0),
    });
    expect(played.stop).toMatchObject({ status: 'limit_reached', reason });
    if (limit !== 'maxDurationMs')
      expect(played.stop).toMatchObject({ text: expect.stringContaining(sentence.split(' Last')[0] ?? '') });
    expect(played.transcript.open).toEqual([]);
  });

  test('an empty answer is nudged once, then accepted as empty', async () => {
    const empty = answering(null, { stopReason: 'end_turn' });
    const played = await play({ answers: [looking('a'), empty, empty, done] });
    expect(played.stop).toMatchObject({ status: 'completed', text: '', emptyAnswer: true });
    expect(played.modelCalls).toBe(3);
    expect(played.ran).toHaveLength(1);
  });

  test('a paused model is asked to go on, and nothing is said in between', async () => {
    const paused = answering(anAnswer('p', 'Searching.'), { stopReason: 'pause_turn' });
    const played = await play({ answers: [paused, done], said: { 1: 'hurry' } });
    const roles = messagesOf(played.transcript).map((message) => message.role);
    expect(roles.slice(0, 3)).toEqual(['user', 'assistant', 'assistant']);
  });

  test('a model that only pauses is stopped', async () => {
    const paused = answering(anAnswer('p', 'Searching.'), { stopReason: 'pause_turn' });
    const played = await play({
      snapshot: { limits: { maxIterations: 50, maxCallsPerIteration: 64 } },
      answers: [paused],
    });
    expect(played.stop).toMatchObject({ status: 'limit_reached', reason: 'pause_limit' });
    expect(played.modelCalls).toBe(11);
  });

  test('a text that the output limit cut is truncated, never completed', async () => {
    const played = await play({ answers: [answering(anAnswer('a', 'The first half'), { stopReason: 'max_tokens' })] });
    expect(played.stop).toMatchObject({ status: 'truncated', text: 'The first half' });
  });

  test('a cut call is not run; the third time in a turn ends it as truncated', async () => {
    const verdicts = [{ status: 'cut' as const, text: 'look was cut by the output limit.' }];
    const cut = (id: string) => answering(anAnswer(id, '', ['look', { id }]), { stopReason: 'max_tokens', verdicts });
    const played = await play({ answers: [cut('a'), cut('b'), cut('c'), done] });
    expect(played.stop).toMatchObject({ status: 'truncated', reason: 'truncated' });
    expect(played.ran).toEqual([]);
    expect(played.modelCalls).toBe(3);
  });

  test('a refused turn is forgotten, and its details are told', async () => {
    const refusal = answering(null, { stopReason: 'refusal', stopDetails: 'example_category: made-up reason' });
    const played = await play({ answers: [refusal] });
    expect(played.stop).toMatchObject({ status: 'refused', text: expect.stringContaining('example_category') });
    expect(messagesOf(played.transcript)).toEqual([]);
  });

  test('the next model is asked in the same iteration when one is down, and it stays for the turn', async () => {
    const down: ModelAnswer = { status: 'failed', reason: 'overloaded', message: 'Overloaded' };
    const played = await play({
      snapshot: { model: 'a/1', fallbackModels: ['b/2'] },
      answers: [looking('a'), down, looking('b'), done],
    });
    expect(played.stop).toMatchObject({ status: 'completed' });
    expect(played.asked).toEqual(['#1 a/1', '#2 a/1', '#2 b/2', '#3 b/2']);
    expect(played.facts).toEqual([
      { type: 'model_fallback', turn: 1, iteration: 2, from: 'a/1', to: 'b/2', reason: 'overloaded' },
    ]);
  });

  test('a request that no model would take asks no other one, and the last model has the last word', async () => {
    const failing = (reason: 'invalid_request' | 'auth'): ModelAnswer => ({
      status: 'failed',
      reason,
      message: reason,
    });
    const snapshot = { model: 'a/1', fallbackModels: ['b/2'] };
    const invalid = await play({ snapshot, answers: [failing('invalid_request')] });
    expect(invalid.asked).toEqual(['#1 a/1']);
    const both = await play({ snapshot, answers: [failing('auth'), failing('auth')] });
    expect(both.stop).toMatchObject({ status: 'failed', reason: 'auth' });
    expect(both.asked).toEqual(['#1 a/1', '#1 b/2']);
  });

  test('a failed model call keeps what was said, so that the next turn can go on from it', async () => {
    const failing: ModelAnswer = { status: 'failed', reason: 'overloaded', message: 'Overloaded' };
    const played = await play({ answers: [looking('a'), failing] });
    expect(played.stop).toMatchObject({ status: 'failed', reason: 'overloaded', text: 'Overloaded' });
    expect(messagesOf(played.transcript)).toHaveLength(3);
  });

  test('what the provider will never take is forgotten, so that the next turn does not fail on it too', async () => {
    const failing: ModelAnswer = { status: 'failed', reason: 'invalid_request', message: 'bad image' };
    const played = await play({ answers: [failing] });
    expect(messagesOf(played.transcript)).toEqual([]);
  });

  test('the same call is warned about at 3 and stopped at 5', async () => {
    const same = (id: string): ModelAnswer => answering(anAnswer(id, '', ['look', { filter: 'all' }]));
    const played = await play({ answers: ['a', 'b', 'c', 'd', 'e'].map(same) });
    const messages = messagesOf(played.transcript);
    expect(JSON.stringify(messages[4])).not.toContain('times in a row');
    expect(JSON.stringify(messages[6])).toContain('3 times in a row');
    expect(played.stop).toMatchObject({ status: 'failed', reason: 'loop_detected' });
    expect(played.ran).toHaveLength(4);
    expect(messagesProblem(messages)).toBeUndefined();
  });

  test('a task goes on when a user has said something while the last answer was made', async () => {
    const played = await play({
      answers: [done, answering(anAnswer('b', 'Weather is fine.'))],
      said: { 1: 'and the weather?' },
    });
    expect(played.stop).toMatchObject({ status: 'completed', text: 'Weather is fine.' });
    expect(played.modelCalls).toBe(2);
  });

  test('a chat ends its turn and leaves the message to the next one', async () => {
    const played = await play({ snapshot: { mode: 'chat' }, answers: [done], said: { 1: 'and the weather?' } });
    expect(played.modelCalls).toBe(1);
  });

  test('whatever the outcomes, failures, messages, cancels and limits, every call is answered exactly once', async () => {
    const stopReason = fc.constantFrom(
      'end_turn',
      'tool_use',
      'max_tokens',
      'pause_turn',
      'refusal',
      'context_overflow',
    );
    const answer = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ calls: fc.nat(5), stopReason, text: fc.constantFrom('', 'text'), cut: fc.boolean() }),
      },
      { weight: 1, arbitrary: fc.constantFrom('failed' as const, 'cancelled' as const) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(answer, { minLength: 1, maxLength: 8 }),
        fc.infiniteStream(fc.constantFrom(...OUTCOMES)),
        fc.dictionary(fc.nat(6).map(String), fc.string({ minLength: 1, maxLength: 3 })),
        fc.option(fc.nat(6), { nil: undefined }),
        fc.record({
          maxIterations: fc.integer({ min: 1, max: 9 }),
          maxTotalTokens: fc.integer({ min: 1, max: 300 }),
          maxCallsPerIteration: fc.integer({ min: 1, max: 6 }),
        }),
        async (script, outcomes, said, cancelAt, limits) => {
          const answers = script.map((each, index): ModelAnswer => {
            if (each === 'cancelled') return { status: 'cancelled' };
            if (each === 'failed') return { status: 'failed', reason: 'server_error', message: 'x' };
            const calls = Array.from({ length: each.calls }, (_, i): [string, object] => ['look', { index, i }]);
            const message = each.calls > 0 || each.text ? anAnswer(`m${index}_`, each.text, ...calls) : null;
            const verdicts = calls.map(() =>
              each.cut ? { status: 'cut' as const, text: 'cut' } : { status: 'ok' as const },
            );
            const refused = each.stopReason === 'refusal';
            return answering(refused ? null : message, {
              stopReason: each.stopReason,
              verdicts: refused ? [] : verdicts,
            });
          });
          const played = await play({
            snapshot: { limits },
            answers: [...answers, answering(null, { stopReason: 'refusal' })],
            said,
            cancelAt,
            runCall: async ({ call }) => ({
              callId: call.callId,
              outcome: outcomes.next().value,
              content: [{ type: 'text', text: 'r' }],
            }),
          });
          expect(played.transcript.open).toEqual([]);
          expect(messagesProblem(messagesOf(played.transcript))).toBeUndefined();
          expect(played.modelCalls).toBeLessThanOrEqual(limits.maxIterations);
        },
      ),
    );
  });
});
