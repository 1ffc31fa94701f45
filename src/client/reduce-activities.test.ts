import { describe, expect, test } from 'vitest';
import { callBlock, HandMadeHistory, resultOfCall } from '../../test/client/hand-made-history.ts';
import { busyHistory, eventsOf, only } from '../../test/client/reduced.ts';

/** A second turn before whose beginning the agent was found without its tools. */
function withAgentLookedUpAnew(): HandMadeHistory {
  const history = new HandMadeHistory().begin();
  history.turnFinished();
  history.local('pawl.resolveAgent', { status: 'completed', result: { agent: 'demo', model: 'test/new', tools: [] } });
  history.facts({ type: 'turn_started', turn: 2 });
  return history;
}

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

  test('of a tool that the agent has still, since the one deployed now could not be taken, is told as it runs', () => {
    const history = withAgentLookedUpAnew();
    history.model([callBlock('c1', 'look')], { turn: 2 });
    history.completed(history.schedule('c1', 'look'), resultOfCall('c1', 'seen'));
    expect(only(eventsOf(history), 'tool_result')).toMatchObject([{ callId: 'c1', outcome: 'completed' }]);
  });

  test('of a tool that the agent has no more is told as not run, once the agent has changed', () => {
    const history = withAgentLookedUpAnew();
    history.facts({ type: 'agent_changed', turn: 2, model: 'test/new', changed: ['tools'] });
    history.model([callBlock('c1', 'look')], { turn: 2 });
    history.turnFinished({ turn: 2 });
    expect(only(eventsOf(history), 'tool_result')).toMatchObject([{ callId: 'c1', outcome: 'failed' }]);
  });

  test('of an answer that broke off at the end of the window is never answered', () => {
    const history = new HandMadeHistory().begin();
    history.model([callBlock('c1', 'look'), callBlock('c2', 'nope')], { stopReason: 'context_overflow' });
    history.summary('So far.', { cut: 1, length: 1, turnStart: 1 });
    history.turnFinished({ status: 'cancelled', reason: 'user_cancelled', text: 'cancelled' });
    const events = eventsOf(history.close({ status: 'cancelled' }));
    expect(only(events, 'tool_result')).toEqual([]);
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

describe('a model call', () => {
  test.each(['pawl.callModel', 'pawl.summarize'])('of %s that fails tells nothing by itself', (name) => {
    const history = new HandMadeHistory().begin();
    history.model([callBlock('c1', 'look')]);
    history.completed(history.schedule('c1', 'look'), resultOfCall('c1', 'seen'));
    const before = eventsOf(history);
    history.failed(history.schedule('m2', name), { kind: 'application', type: 'Model.Overloaded', message: 'busy' });
    expect(eventsOf(history)).toEqual(before);
  });
});
