import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callBlock, HandMadeHistory, RESULT, resultOfCall, text, USAGE } from '../../test/client/hand-made-history.ts';
import type { RunEvent } from '../protocol/events.ts';
import { type Cursor, compareCursors, parseCursor } from './cursor.ts';
import { runEventSchema } from './event-schema.ts';
import { createReducer } from './history-events.ts';

function eventsOf(...histories: HandMadeHistory[]): RunEvent[] {
  return histories.flatMap(({ events }) => {
    const reducer = createReducer('r1');
    return events.flatMap((event) => reducer.push(event));
  });
}

function typesOf(...histories: HandMadeHistory[]): string[] {
  return eventsOf(...histories).map(({ type }) => type);
}

function only<Type extends RunEvent['type']>(events: readonly RunEvent[], type: Type) {
  return events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type);
}

/** A run with calls of every kind, two turns, and a message that comes while it works. */
function busyHistory(): HandMadeHistory {
  const history = new HandMadeHistory().begin();
  history.model([text('let me see'), callBlock('c1', 'look', { at: 'a' }), callBlock('c2', 'nope')], {
    verdicts: [{ status: 'ok' }, { status: 'unknown_tool', text: 'no such tool' }],
    attempt: 2,
  });
  const look = history.schedule('c1', 'look', { at: 'a' });
  send(history, 'q1', 'and b?');
  history.completed(look, resultOfCall('c1', 'seen'), 3);
  history.model([callBlock('c3', 'time')], { iteration: 2 });
  history.add({ type: 'task_started' });
  history.local('time', { status: 'completed', result: resultOfCall('c3', 'noon') });
  history.model([text('done')], { iteration: 3 });
  history.turnFinished({ queued: 1 });
  history.facts({ type: 'turn_started', turn: 2 });
  history.model([text('bye')], { turn: 2 });
  history.turnFinished({ turn: 2 });
  return history.close();
}

function send(history: HandMadeHistory, requestId: string, prompt: string): void {
  history.add({ type: 'update_accepted', updateId: requestId, update: { name: 'send', input: { requestId, prompt } } });
}

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

  test('each fit the schema of events', () => {
    for (const event of eventsOf(busyHistory())) runEventSchema.parse(JSON.parse(JSON.stringify(event)));
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

describe('a call', () => {
  test('that runs is told at its schedule, and its result by its id with attempts and duration', () => {
    const results = only(eventsOf(busyHistory()), 'tool_result');
    expect(results[1]).toMatchObject({ callId: 'c1', name: 'look', outcome: 'completed', attempts: 3, isError: false });
    expect(results[1]?.durationMs).toBe(3_000);
  });

  test('that is quick takes its input from the model result', () => {
    const history = new HandMadeHistory().begin();
    history.model([callBlock('c1', 'time', { zone: 'Asia/Seoul' })]);
    history.add({ type: 'task_started' });
    history.local('time', { status: 'completed', result: resultOfCall('c1', 'noon') });
    const events = eventsOf(history);
    expect(only(events, 'tool_call')).toMatchObject([{ callId: 'c1', name: 'time', input: { zone: 'Asia/Seoul' } }]);
    expect(only(events, 'tool_result')).toMatchObject([{ callId: 'c1', attempts: 1, durationMs: 1_000 }]);
  });

  test('that fails as a quick one is told only as the ordinary one that follows', () => {
    const history = new HandMadeHistory().begin();
    history.model([callBlock('c1', 'time')]);
    history.local('time', { status: 'failed', failure: { kind: 'application', type: 'X', message: 'no' } });
    history.completed(history.schedule('c1', 'time'), resultOfCall('c1', 'noon'));
    const events = eventsOf(history);
    expect(only(events, 'tool_call')).toHaveLength(1);
    expect(only(events, 'tool_result')).toMatchObject([{ callId: 'c1', outcome: 'completed' }]);
  });

  test('that was not run for its verdict has the verdict as its result and no attempts', () => {
    expect(only(eventsOf(busyHistory()), 'tool_result')[0]).toMatchObject({
      callId: 'c2',
      name: 'nope',
      outcome: 'failed',
      isError: true,
      attempts: 0,
      output: [{ type: 'text', text: 'no such tool' }],
    });
  });

  test('that is skipped is told once, whatever its verdict was', () => {
    const history = new HandMadeHistory().begin();
    history.model([callBlock('c1', 'nope')], { verdicts: [{ status: 'unknown_tool', text: 'no such tool' }] });
    history.facts({ type: 'call_skipped', turn: 1, iteration: 1, callId: 'c1', text: 'nope was not run: enough.' });
    history.turnFinished();
    expect(only(eventsOf(history.close()), 'tool_result')).toMatchObject([{ callId: 'c1', outcome: 'skipped' }]);
  });

  test('of a refused answer is never answered', () => {
    const history = new HandMadeHistory().begin();
    const verdicts = [{ status: 'cut', text: 'cut' }] as const;
    history.model([callBlock('c1', 'look')], { stopReason: 'refusal', verdicts });
    history.turnFinished({ status: 'refused', reason: 'refusal', text: 'refused' });
    expect(only(eventsOf(history.close()), 'tool_result')).toEqual([]);
  });

  test.each([
    ['look', { kind: 'timeout', timeoutType: 'START_TO_CLOSE' }, 'failed', 2],
    ['pay', { kind: 'timeout', timeoutType: 'HEARTBEAT' }, 'unknown', 2],
    ['pay', { kind: 'application', type: 'Worker.LostOnce', message: '' }, 'unknown', 2],
    ['pay', { kind: 'application', type: 'Tool.NotHere', message: '' }, 'skipped', 0],
    ['look', { kind: 'cancelled' }, 'cancelled', 2],
  ] as const)('of %s that fails by %o is %s', (name, failure, outcome, attempts) => {
    const history = new HandMadeHistory().begin();
    history.model([callBlock('c1', name)]);
    history.failed(history.schedule('c1', name), failure, 2);
    expect(only(eventsOf(history), 'tool_result')).toMatchObject([{ callId: 'c1', outcome, attempts, isError: true }]);
  });

  test('that a cancel interrupts is told as cancelled, and one that had not begun as skipped', () => {
    const history = new HandMadeHistory().begin();
    history.model([callBlock('c1', 'pay'), callBlock('c2', 'look')]);
    const scheduledId = history.schedule('c1', 'pay');
    history.add({ type: 'activity_given_up', scheduledId });
    history.close({ status: 'cancelled' });
    expect(only(eventsOf(history), 'tool_result')).toMatchObject([
      { callId: 'c1', outcome: 'cancelled' },
      { callId: 'c2', outcome: 'skipped', attempts: 0 },
    ]);
  });

  test('that runs when the run is terminated has an unknown outcome', () => {
    const history = new HandMadeHistory().begin();
    history.model([callBlock('c1', 'pay')]);
    history.schedule('c1', 'pay');
    history.close({ status: 'terminated', reason: 'enough', identity: 'ops' });
    expect(only(eventsOf(history), 'tool_result')).toMatchObject([{ callId: 'c1', outcome: 'unknown' }]);
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
