import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import { callBlock, HandMadeHistory, RESULT, text, USAGE } from '../../test/client/hand-made-history.ts';
import { busyHistory, eventsOf, only, send, typesOf } from '../../test/client/reduced.ts';
import type { RunEvent } from '../protocol/events.ts';
import { type Cursor, compareCursors, parseCursor } from './cursor.ts';
import { runEventSchema } from './event-schema.ts';
import { createReducer } from './history-events.ts';

describe('the events of a run', () => {
  test('tell a compaction once, with what it cost, and say where the context stands after it', () => {
    const history = new HandMadeHistory().begin();
    history.model([callBlock('c1', 'nope')], { verdicts: [{ status: 'unknown_tool', text: 'no such tool' }] });
    history.summary('So far.', { cut: 3, length: 4, turnStart: 1 });
    const reducer = createReducer('r1');
    const events = history.events.flatMap((event) => reducer.push(event));
    expect(events.map(({ type }) => type).slice(-2)).toEqual(['tool_result', 'compacted']);
    expect(events.at(-1)).toMatchObject({
      type: 'compacted',
      context: 1,
      summarized: 3,
      kept: 1,
      summary: 'So far.',
      model: 'short-1',
      attempts: 2,
      costUsdMicros: 3,
    });
    expect(runEventSchema.parse(events.at(-1))).toEqual(events.at(-1));
    expect(reducer.view).toMatchObject({ costUsdMicros: 10, transcript: { length: 2, digest: 'd3' } });
  });

  test('tell that no summary could be had', () => {
    const history = new HandMadeHistory().begin();
    history.facts({ type: 'compaction_failed', turn: 1, iteration: 2, reason: 'overloaded', text: 'busy' });
    const event = eventsOf(history).at(-1);
    expect(event).toMatchObject({ type: 'compaction_failed', reason: 'overloaded', text: 'busy', iteration: 2 });
    expect(runEventSchema.parse(event)).toEqual(event);
  });

  test('are told in the order of its history', () => {
    expect(typesOf(busyHistory())).toEqual([
      'run_started',
      'turn_started',
      'iteration_started',
      'model_result',
      'assistant_text',
      'tool_result',
      'tool_call',
      'user_message',
      'tool_result',
      'iteration_started',
      'model_result',
      'tool_call',
      'tool_result',
      'iteration_started',
      'model_result',
      'assistant_text',
      'usage',
      'final_text',
      'turn_finished',
      'turn_started',
      'iteration_started',
      'model_result',
      'assistant_text',
      'usage',
      'final_text',
      'turn_finished',
      'run_finished',
    ]);
  });

  test('each fit the schema of events, which takes nothing else', () => {
    expectTypeOf<z.infer<typeof runEventSchema>>().toExtend<RunEvent>();
    expectTypeOf<RunEvent>().toExtend<z.infer<typeof runEventSchema>>();
    const events = eventsOf(busyHistory());
    for (const event of events) runEventSchema.parse(JSON.parse(JSON.stringify(event)));
    expect(runEventSchema.safeParse({ ...events[0], type: 'run_begun' }).success).toBe(false);
    expect(runEventSchema.safeParse({ ...events[0], more: 1 }).success).toBe(false);
  });

  test('have cursors that grow strictly', () => {
    const cursors = eventsOf(busyHistory()).map(({ cursor }): Cursor => parseCursor(cursor) ?? [0, 0, 0]);
    for (const [index, cursor] of cursors.slice(1).entries()) {
      expect(compareCursors(cursor, cursors[index] ?? cursor)).toBeGreaterThan(0);
    }
  });

  test('are the same, byte for byte, however often and however far the history is read', () => {
    const all = eventsOf(busyHistory());
    const { events } = busyHistory();
    fc.assert(
      fc.property(fc.integer({ min: 0, max: events.length }), (length) => {
        const reducer = createReducer('r1');
        const some = events.slice(0, length).flatMap((event) => reducer.push(event));
        expect(JSON.stringify(some)).toBe(JSON.stringify(all.slice(0, some.length)));
      }),
    );
  });

  test('begin with the agent, and hold what was said before it was known', () => {
    const history = new HandMadeHistory();
    history.add({ type: 'link_started', args: [{ agent: 'demo', mode: 'chat' }] });
    send(history, 'q1', 'early');
    expect(typesOf(history)).toEqual([]);
    history.local('pawl.resolveAgent', { status: 'completed', result: { agent: 'demo', model: 'm/1', tools: [] } });
    expect(eventsOf(history)).toMatchObject([
      { type: 'run_started', agent: 'demo', model: 'm/1', cursor: '1.3.20' },
      { type: 'user_message', turn: 1, prompt: 'early', cursor: '1.3.30', at: '2026-01-01T00:00:02.000Z' },
    ]);
  });
});

describe('a turn', () => {
  test('sums up its usage and that of the run', () => {
    const [first, second] = only(eventsOf(busyHistory()), 'usage');
    expect(first).toMatchObject({ turn: 1, usage: { turn: USAGE }, costUsdMicros: { turn: 7, total: 21 } });
    expect(first?.usage.total).toMatchObject({ inputTokens: 30, reasoningTokens: 6 });
    expect(second?.usage.total).toMatchObject({ inputTokens: 40, reasoningTokens: 8 });
  });

  test('of which one model has no price has no total cost', () => {
    const history = new HandMadeHistory().begin();
    history.model([callBlock('c1', 'look')], { costUsdMicros: null });
    history.model([text('done')], { iteration: 2 });
    history.turnFinished({ costUsdMicros: null });
    expect(only(eventsOf(history), 'usage')[0]?.costUsdMicros).toEqual({ turn: null, total: null });
  });

  test('that a limit stops says so, and its final text is the sentence', () => {
    const history = new HandMadeHistory().begin();
    const lastState = { text: '', lastCalls: [] };
    const limit = { limit: 'maxIterations', value: 1, spent: 1, lastState } as const;
    history.facts(
      { type: 'limit_reached', turn: 1, iteration: 1, ...limit },
      {
        type: 'turn_finished',
        turn: 1,
        status: 'limit_reached',
        reason: 'iteration_limit',
        text: 'Stopped: 1 iteration used.',
        iterations: 1,
        usage: USAGE,
        costUsdMicros: 7,
        queued: 0,
      },
    );
    expect(eventsOf(history).slice(2)).toMatchObject([
      { type: 'limit_reached', ...limit },
      { type: 'usage' },
      { type: 'final_text', text: 'Stopped: 1 iteration used.' },
      { type: 'turn_finished', status: 'limit_reached', reason: 'iteration_limit' },
    ]);
  });

  test('that ends with nothing to say has no final text', () => {
    const history = new HandMadeHistory().begin();
    history.model([]);
    history.turnFinished({ emptyAnswer: true });
    expect(typesOf(history)).not.toContain('final_text');
  });
});

describe('a message', () => {
  test('that is delivered twice, also over two links, is told once', () => {
    const first = new HandMadeHistory().begin();
    send(first, 'q1', 'hello');
    send(first, 'q1', 'hello');
    first.close({ status: 'continued', runId: 'x' });
    const second = new HandMadeHistory(2).goOn({ inbox: { seen: [['q1', 1]] } });
    send(second, 'q1', 'hello');
    expect(only(eventsOf(first, second), 'user_message')).toHaveLength(1);
  });

  test('that a reset carries over is taken from its admission', () => {
    const history = new HandMadeHistory().begin();
    const input = { requestId: 'q1', prompt: 'hello' };
    history.add({ type: 'update_admitted', updateId: 'q1', update: { name: 'send', input } });
    history.add({ type: 'update_accepted', updateId: 'q1' });
    expect(only(eventsOf(history), 'user_message')).toMatchObject([input]);
  });

  test('belongs to the turn that is open, or to the next one', () => {
    const history = new HandMadeHistory().begin();
    send(history, 'q1', 'while it works');
    history.turnFinished();
    send(history, 'q2', 'while it waits');
    expect(only(eventsOf(history), 'user_message').map(({ turn }) => turn)).toEqual([1, 2]);
  });
});

describe('a later link', () => {
  test('is read without the links before it', () => {
    const history = new HandMadeHistory(3).goOn({ turns: 4, spend: { usage: USAGE, costUsdMicros: 7 } });
    history.model([text('done')], { turn: 4 });
    history.turnFinished({ turn: 4 });
    expect(only(eventsOf(history.close()), 'usage')[0]?.costUsdMicros.total).toBe(14);
    expect(typesOf(history)).not.toContain('run_started');
  });
});

describe('the end of a run', () => {
  const endings = [
    [{ status: 'completed', result: RESULT }, RESULT],
    [{ status: 'failed', failureType: 'Run.Failed', message: 'm', details: RESULT }, RESULT],
    [
      { status: 'failed', failureType: 'TypeError', message: 'x is not a function', details: undefined },
      { status: 'failed', reason: 'server_error', text: 'The run failed: x is not a function' },
    ],
    [{ status: 'cancelled' }, { status: 'cancelled', reason: 'user_cancelled' }],
    [
      { status: 'terminated', reason: 'enough', identity: 'ops' },
      { status: 'cancelled', text: 'The run was terminated by ops: enough' },
    ],
    [
      { status: 'terminated', reason: 'GrpcMessageTooLarge', identity: 'history-service' },
      { status: 'failed', reason: 'server_error' },
    ],
    [{ status: 'timed_out' }, { status: 'failed', reason: 'timeout' }],
  ] as const;

  test.each(endings)('%o has a result in the same shape', (ending, result) => {
    const finished = eventsOf(new HandMadeHistory().begin().close(ending)).at(-1);
    expect(finished).toMatchObject({ type: 'run_finished', result });
    runEventSchema.parse(JSON.parse(JSON.stringify(finished)));
  });

  test('by a cancel has the result that the run left in its memo', () => {
    const history = new HandMadeHistory().begin();
    history.add({ type: 'memo_changed', memo: { 'pawl.result': { ...RESULT, status: 'cancelled' } } });
    history.close({ status: 'cancelled' });
    expect(eventsOf(history).at(-1)).toMatchObject({ result: { ...RESULT, status: 'cancelled' } });
  });

  test('before any worker saw it still begins with its start', () => {
    const history = new HandMadeHistory();
    history.add({ type: 'link_started', args: [{ agent: 'demo', prompt: 'hi', model: 'm/1' }] });
    history.close({ status: 'terminated', reason: '', identity: 'ops' });
    expect(eventsOf(history)).toMatchObject([
      { type: 'run_started', model: 'm/1', prompt: 'hi' },
      { type: 'run_finished' },
    ]);
  });
});
