import { describe, expect, it } from 'vitest';
import type { JsonMap } from './case-format.ts';
import { compareAll, EXPECTATIONS, judge } from './expectations.ts';
import type { Observed, ObservedTurn } from './observed.ts';

const turn: ObservedTurn = { status: 'completed', text: 'Nine.', emptyAnswer: true };
const start = { tool: 'add', callId: 'c1', input: { a: 1 }, idempotencyKey: 'run/c1', attempt: 1 };

const seen: Observed = {
  inputs: [{ user: 'go' }, { user: 'on' }],
  turns: [{ status: 'failed', reason: 'overloaded', text: 'Overloaded.', emptyAnswer: false }, turn],
  requests: [
    { receivedAt: 0, endedAt: 10 },
    { receivedAt: 500, endedAt: 600 },
  ],
  rejections: [],
  handlerStarts: [start, { ...start, attempt: 2 }],
  effects: 1,
  totalMs: 900,
  history: { events: [40, 12], largestPayloadBytes: 1_000, taskFailures: 0, text: 'history text' },
  reported: 'reported text',
  workerLog: 'log text',
  cancelMs: 200,
  workerExitCode: 0,
  childrenAlive: 0,
  openWorkflows: 1,
  states: [{ ms: 100, state: 'running' }],
  cliStdout: 'Answer: nine',
  replayFaults: [],
  transcriptFaults: [],
  wireNames: [['add'], ['add']],
  listener: { hits: 0, redirects: 1 },
  check: (checks) => (Array.isArray(checks) && checks.length === 0 ? [] : ['a check fails']),
};

/** For each word: a value that fits what was seen, and one that does not. */
const VALUES: Readonly<Record<string, readonly [fits: JsonMap[string], differs: JsonMap[string]]>> = {
  outcome: ['completed', 'failed'],
  outcome_of_input: [
    ['failed', 'completed'],
    ['completed', 'completed'],
  ],
  failure_kind: [null, 'overloaded'],
  failure_kind_of_input: [
    ['overloaded', null],
    [null, null],
  ],
  final_text: ['Nine.', 'Nine'],
  final_text_contains: [['Ni', 'ne.'], ['Ten']],
  flags: [['empty_answer'], ['no_such_flag']],
  model_calls: [2, { min: 3 }],
  api_rejections: [0, 1],
  checks: [[], [{ request: 0, path: 'a', op: 'absent' }]],
  tool_runs: [{ add: { min: 1, max: 2 }, other: 0 }, { add: 1 }],
  tool_inputs: [{ add: [{ a: 1 }, { a: 1 }] }, { add: [{ a: 1 }] }],
  effects: [1, 2],
  idempotency_keys: [1, 2],
  idempotency_keys_by_call: [{ c1: 1 }, 2],
  gaps_ms: [[{ after_call: 0, min: 400, max: 500 }], [{ after_call: 0, min: 500 }]],
  total_ms_max: [1_000, 800],
  cancel_settles_within_ms: [1_000, 100],
  children_alive_after_ms: [
    { ms: 1, count: 0 },
    { ms: 1, count: 1 },
  ],
  open_workflows_after_ms: [
    { ms: 1, count: 1 },
    { ms: 1, count: 0 },
  ],
  worker_exit_code: [0, 1],
  state_at: [[{ ms: 100, state: 'running' }], [{ ms: 200, state: 'running' }]],
  reported_contains: [['reported'], ['log text']],
  reported_not_contains: [['history'], ['log']],
  history_not_contains: [['reported'], ['history']],
  cli_stdout_not_matches: [['^nine'], ['^Answer']],
  max_payload_bytes: [1_000, 999],
  workflow_task_failures: [0, 1],
  runs_in_chain: [{ min: 2 }, 1],
  max_events_per_run: [40, 39],
  replay_equal: [true, false],
  session_history: ['pairs_valid', 'pairs'],
  same_wire_names_in_all_repeats: [true, false],
  listener_hits: [0, 1],
};

describe('the words of expect', () => {
  it('are all covered here', () => {
    expect(Object.keys(VALUES).sort()).toEqual(Object.keys(EXPECTATIONS).sort());
  });

  it.each(Object.entries(VALUES))('%s accepts what was seen and tells what differs', (word, [fits, differs]) => {
    expect(compareAll({ [word]: fits }, seen)).toEqual([]);
    expect(compareAll({ [word]: differs }, seen)).not.toEqual([]);
  });

  it('that no table has are a fault', () => {
    expect(compareAll({ outcomes: 'completed' }, seen)).toEqual(['unknown word in expect: outcomes']);
  });

  it.each([
    ['total_ms_max', 1, { totalMs: 2 }],
    ['cancel_settles_within_ms', 1, { cancelMs: undefined }],
    ['children_alive_after_ms', { ms: 1, count: 0 }, { childrenAlive: undefined }],
    ['worker_exit_code', 0, { workerExitCode: undefined }],
    ['session_history', 'pairs_valid', { transcriptFaults: undefined }],
    ['replay_equal', true, { replayFaults: undefined }],
    ['cli_stdout_not_matches', ['x'], { cliStdout: undefined }],
    ['same_wire_names_in_all_repeats', true, { wireNames: [['add']] }],
    ['listener_hits', 0, { listener: undefined }],
    ['listener_hits', 0, { listener: { hits: 0, redirects: 0 } }],
  ] as const)('%s does not pass when nothing was measured', (word, value, change) => {
    expect(compareAll({ [word]: value as JsonMap[string] }, { ...seen, ...change })).not.toEqual([]);
  });
});

describe('a refusal by the fake API', () => {
  const refused = { ...seen, rejections: ['req_1: double id'] };

  it('is a fault where the case says nothing of refusals', () => {
    expect(compareAll({ outcome: 'completed' }, refused)).toEqual([expect.stringContaining('double id')]);
  });

  it('is none where the case expects it', () => {
    expect(compareAll({ api_rejections: 1 }, refused)).toEqual([]);
  });
});

describe('a second accepted result', () => {
  it('takes the place of the words that it names', () => {
    expect(judge({ outcome: 'failed', model_calls: 2 }, { outcome: 'completed' }, seen)).toEqual([]);
  });

  it('does not inherit the final text of another outcome', () => {
    const main = { outcome: 'failed', final_text: 'Ten.', model_calls: 2 };
    expect(judge(main, { outcome: 'completed' }, seen)).toEqual([]);
    expect(judge(main, { outcome: 'completed', final_text: 'Nine' }, seen)).toHaveLength(2);
    expect(judge({ ...main, outcome: 'completed' }, { model_calls: 2 }, seen)).toHaveLength(1);
  });

  it('does not hide the faults when it does not fit either', () => {
    expect(judge({ outcome: 'failed', model_calls: 3 }, { outcome: 'completed' }, seen)).toHaveLength(2);
  });
});
