// What each word of `expect` means: one entry a word, each a pure comparison that lists what is wrong.

import { isDeepStrictEqual } from 'node:util';
import { isMap, type Json, type JsonMap } from './case-format.ts';
import { atMost, boundsOf, equal, inBounds, oneLine } from './comparisons.ts';
import type { HandlerStart, Observed, ObservedTurn } from './observed.ts';

/** Lists in words what differs; empty when what was seen is as expected. */
export type Compare = (expected: Json, seen: Observed) => readonly string[];

/** Marks that a case may name, and the turn's field that carries each. */
const FLAGS: Readonly<Record<string, (turn: ObservedTurn) => boolean>> = {
  empty_answer: (turn) => turn.emptyAnswer,
};

/** The words of `expect` that the runner can judge. */
export const EXPECTATIONS: Readonly<Record<string, Compare>> = {
  outcome: (expected, seen) => equal('outcome', expected, lastTurn(seen)?.status),
  outcome_of_input: (expected, seen) => equalEach('outcome of input', expected, seen, (turn) => turn.status),
  failure_kind: (expected, seen) => equal('failure kind', expected, lastTurn(seen)?.reason ?? null),
  failure_kind_of_input: (expected, seen) =>
    equalEach('failure kind of input', expected, seen, (turn) => turn.reason ?? null),
  final_text: (expected, seen) => equal('final text', expected, lastTurn(seen)?.text),
  final_text_contains: (expected, seen) => containsAll('final text', expected, lastTurn(seen)?.text ?? ''),
  flags: compareFlags,
  model_calls: (expected, seen) => inBounds('model calls', boundsOf(expected), seen.requests.length),
  api_rejections: (expected, seen) =>
    seen.rejections.length === expected ? [] : [`api rejections: ${seen.rejections.join('; ') || 'none'}`],
  checks: (expected, seen) => seen.check(expected),
  tool_runs: compareToolRuns,
  tool_inputs: compareToolInputs,
  effects: (expected, seen) => inBounds('effects', boundsOf(expected), seen.effects),
  idempotency_keys: (expected, seen) =>
    inBounds('distinct idempotency keys', boundsOf(expected), distinctKeys(seen.handlerStarts)),
  idempotency_keys_by_call: compareKeysByCall,
  gaps_ms: compareGaps,
  total_ms_max: (expected, seen) => atMost('ms in total', expected, seen.totalMs),
  cancel_settles_within_ms: (expected, seen) => atMost('ms from cancel to the end', expected, seen.cancelMs),
  children_alive_after_ms: (expected, seen) => equal('children alive', field(expected, 'count'), seen.childrenAlive),
  open_workflows_after_ms: (expected, seen) => equal('open workflows', field(expected, 'count'), seen.openWorkflows),
  worker_exit_code: (expected, seen) => equal('exit code of the worker', expected, seen.workerExitCode),
  state_at: compareStates,
  reported_contains: (expected, seen) => containsAll('what is reported', expected, seen.reported),
  reported_not_contains: (expected, seen) =>
    containsNone('what is reported or logged', expected, `${seen.reported}\n${seen.workerLog}`),
  listener_hits: compareListenerHits,
  history_not_contains: (expected, seen) => containsNone('the history', expected, seen.history.text),
  cli_stdout_not_matches: compareCliOutput,
  max_payload_bytes: (expected, seen) =>
    atMost('bytes in the largest payload', expected, seen.history.largestPayloadBytes),
  workflow_task_failures: (expected, seen) =>
    inBounds('failed workflow tasks', boundsOf(expected), seen.history.taskFailures),
  runs_in_chain: (expected, seen) => inBounds('links', boundsOf(expected), seen.history.events.length),
  max_events_per_run: (expected, seen) => atMost('events in a link', expected, Math.max(...seen.history.events)),
  replay_equal: (expected, seen) =>
    expected === true ? (seen.replayFaults ?? ['replay was not tried']) : ['replay_equal must be true'],
  session_history: (expected, seen) =>
    expected === 'pairs_valid' ? (seen.transcriptFaults ?? ['the transcript was not read']) : [unknownValue(expected)],
  same_wire_names_in_all_repeats: compareWireNames,
};

/** Words that steer how a case is run and have nothing to compare. */
export const EXPECT_STEERING: ReadonlySet<string> = new Set(['repeat_with']);

/** Words about the final text. */
const TEXTS: readonly string[] = ['final_text', 'final_text_contains'];

/** Everything in which a run differs from what the case expects; an unknown word is a difference. */
export function compareAll(expect: JsonMap, seen: Observed): string[] {
  const words = Object.keys(expect).filter((word) => !EXPECT_STEERING.has(word));
  const faults = words.flatMap((word) => {
    const compare = EXPECTATIONS[word];
    return compare === undefined ? [`unknown word in expect: ${word}`] : compare(expect[word] ?? null, seen);
  });
  return 'api_rejections' in expect ? faults : [...faults, ...equal('api rejections', [], [...seen.rejections])];
}

/** The differences from `expect`, or none when a second accepted result fits. */
export function judge(expect: JsonMap, alternative: JsonMap | undefined, seen: Observed): string[] {
  const faults = compareAll(expect, seen);
  if (faults.length === 0 || alternative === undefined) return faults;
  return compareAll(secondResult(expect, alternative), seen).length === 0 ? [] : faults;
}

/** A final text belongs to its outcome: another outcome does not inherit it. */
function secondResult(expect: JsonMap, alternative: JsonMap): JsonMap {
  const endsOtherwise = 'outcome' in alternative && alternative['outcome'] !== expect['outcome'];
  const inherited = Object.entries(expect).filter(([word]) => !(endsOtherwise && TEXTS.includes(word)));
  return { ...Object.fromEntries(inherited), ...alternative };
}

function lastTurn(seen: Observed): ObservedTurn | undefined {
  return seen.turns.at(-1);
}

function equalEach(what: string, expected: Json, seen: Observed, of: (turn: ObservedTurn) => Json): readonly string[] {
  return equal(what, expected, seen.turns.map(of));
}

function containsAll(what: string, expected: Json, text: string): readonly string[] {
  return texts(expected)
    .filter((part) => !text.includes(part))
    .map((part) => `${what} does not contain ${JSON.stringify(part)}: ${oneLine(text)}`);
}

function containsNone(what: string, expected: Json, text: string): readonly string[] {
  return texts(expected)
    .filter((part) => text.includes(part))
    .map((part) => `${what} contains ${JSON.stringify(part)}`);
}

function compareFlags(expected: Json, seen: Observed): readonly string[] {
  const turn = lastTurn(seen);
  return texts(expected).flatMap((flag) => {
    const carried = FLAGS[flag];
    if (carried === undefined) return [`unknown flag: ${flag}`];
    return turn !== undefined && carried(turn) ? [] : [`the result has no mark ${flag}`];
  });
}

function compareToolRuns(expected: Json, seen: Observed): readonly string[] {
  return entries(expected).flatMap(([tool, runs]) => {
    const starts = seen.handlerStarts.filter((start) => start.tool === tool).length;
    return inBounds(`runs of ${tool}`, boundsOf(runs), starts);
  });
}

function compareToolInputs(expected: Json, seen: Observed): readonly string[] {
  return entries(expected).flatMap(([tool, inputs]) => {
    const started = seen.handlerStarts.filter((start) => start.tool === tool).map((start) => start.input);
    return equal(`inputs of ${tool}`, inputs, started);
  });
}

function distinctKeys(starts: readonly HandlerStart[]): number {
  return new Set(starts.map((start) => start.idempotencyKey)).size;
}

function compareKeysByCall(expected: Json, seen: Observed): readonly string[] {
  const calls = [...new Set(seen.handlerStarts.map((start) => start.callId))];
  const wanted =
    isMap(expected) && !isBounds(expected) ? entries(expected) : calls.map((call) => [call, expected] as const);
  return wanted.flatMap(([call, keys]) => {
    const starts = seen.handlerStarts.filter((start) => start.callId === call);
    return inBounds(`idempotency keys of call ${call}`, boundsOf(keys), distinctKeys(starts));
  });
}

function compareGaps(expected: Json, seen: Observed): readonly string[] {
  return maps(expected).flatMap((gap) => {
    const { after_call: index, ...bounds } = gap;
    const before = seen.requests[Number(index)];
    const after = seen.requests[Number(index) + 1];
    if (before?.endedAt === undefined || after === undefined) return [`no request after request ${index}`];
    return inBounds(`ms after request ${index}`, boundsOf(bounds), after.receivedAt - before.endedAt);
  });
}

function compareStates(expected: Json, seen: Observed): readonly string[] {
  return maps(expected).flatMap(({ ms, state }) => {
    const found = seen.states?.find((one) => one.ms === ms);
    return equal(`state after ${ms} ms`, state ?? null, found?.state);
  });
}

function compareCliOutput(expected: Json, seen: Observed): readonly string[] {
  if (seen.cliStdout === undefined) return ['the command line was not run'];
  const { cliStdout } = seen;
  return texts(expected)
    .filter((pattern) => new RegExp(pattern, 'm').test(cliStdout))
    .map((pattern) => `the command line prints what matches ${pattern}`);
}

/** That nobody came means something only where somebody was sent. */
function compareListenerHits(expected: Json, { listener }: Observed): readonly string[] {
  if (listener === undefined) return ['there was no listener'];
  const faults = inBounds('hits of the listener', boundsOf(expected), listener.hits);
  return listener.redirects > 0 ? faults : [...faults, 'no tool was redirected to the listener'];
}

function compareWireNames(expected: Json, seen: Observed): readonly string[] {
  const [first, ...others] = seen.wireNames;
  if (expected !== true || first === undefined || others.length === 0) return ['there was nothing to compare'];
  return others.every((names) => isDeepStrictEqual(names, first)) ? [] : ['the wire names differ between repeats'];
}

function isBounds(expected: JsonMap): boolean {
  return Object.keys(expected).every((key) => key === 'min' || key === 'max');
}

function unknownValue(expected: Json): string {
  return `unknown value: ${JSON.stringify(expected)}`;
}

function field(expected: Json, name: string): Json {
  return isMap(expected) ? (expected[name] ?? null) : null;
}

function texts(expected: Json): string[] {
  return (Array.isArray(expected) ? expected : [expected]).map(String);
}

function maps(expected: Json): JsonMap[] {
  return (Array.isArray(expected) ? expected : [expected]).filter(isMap);
}

function entries(expected: Json): [string, Json][] {
  return isMap(expected) ? Object.entries(expected) : [];
}
