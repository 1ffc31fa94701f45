import type { CallModelResult, Position, ToolResult } from '../protocol/activities.ts';
import type { Fact } from '../protocol/facts.ts';
import { assertNever, cutText } from '../protocol/json.ts';
import {
  MAX_CUT_ANSWERS,
  MAX_ERROR_TEXT_BYTES,
  MAX_MALFORMED_ANSWERS,
  MAX_OUTPUT_CORRECTIONS,
  MAX_PAUSES,
} from '../protocol/limits.ts';
import { type JsonValue, textOf, type UserMessage, userMessage } from '../protocol/messages.ts';
import { addUsage, type LastState, NO_USAGE, type Reason, type Status, type Usage } from '../protocol/run.ts';
import type { AgentSnapshot } from '../protocol/snapshot.ts';
import { planCalls, type RunCall, runCalls, skip } from './dispatch.ts';
import { type LimitStop, limitBeforeCalls, limitBeforeModelCall, limitSentence, type Spend } from './limits.ts';
import { type RepeatState, repeatWarning, seeCalls } from './repeats.ts';
import { answer, type Mark, mark, record, rollBack, say, type Transcript } from './transcript.ts';

/** How a model call ended. Never an exception: the loop decides what follows. */
export type ModelAnswer =
  | { readonly status: 'completed'; readonly result: CallModelResult }
  | { readonly status: 'failed'; readonly reason: Reason; readonly message: string }
  | { readonly status: 'cancelled' };

/** What the loop needs of the world. Nothing here rejects. */
export interface LoopPorts {
  /** Asks one model with what the transcript holds. */
  callModel(position: Position, model: string): Promise<ModelAnswer>;
  runCall(position: Position): RunCall;
  /** What users have said since, oldest first; taken from the queue. */
  takeQueued(): readonly UserMessage[];
  /** How many messages `takeQueued` would give. */
  queued(): number;
  /** Writes a fact into the history, in the order of the calls. */
  fact(fact: Fact): void;
  nowMs(): number;
  cancelRequested(): boolean;
  /** True when the history is long enough for a new link. Asked between iterations only. */
  linkIsFull(): boolean;
}

/** One turn in progress: plain JSON, so that a new link can go on in the middle of it. */
export interface TurnState {
  readonly turn: number;
  iteration: number;
  readonly spend: ModelSpend;
  /** Where the transcript stood before the user's message: a refused turn is forgotten from here on. */
  readonly start: Mark;
  cutAnswers: number;
  pauses: number;
  /** Answers whose calls the provider could not read. */
  malformed: number;
  /** Models of the agent that could not answer in this turn. */
  givenUp: number;
  /** Answers that did not fit the schema of the output. */
  unfit: number;
  /** The model has been asked once to say something after an empty answer. */
  nudged: boolean;
  repeats: RepeatState | null;
  lastState: LastState;
}

/** What model calls have used up. */
export interface ModelSpend {
  usage: Usage;
  /** Null once a model without a known price was called. */
  costUsdMicros: number | null;
  /** Of the calls whose price is known: what a limit is held against. */
  knownCostUsdMicros: number;
  costUnknown?: string;
}

/** What all turns of a run share. */
export interface RunSpend extends ModelSpend {
  readonly startedAtMs: number;
}

/** Nothing spent yet. */
export function noSpend(): ModelSpend {
  return { usage: NO_USAGE, costUsdMicros: 0, knownCostUsdMicros: 0 };
}

/** The end of a turn, before it is dressed as a `TurnResult`. */
export interface TurnEnd {
  readonly status: Status;
  readonly reason?: Reason;
  readonly text: string;
  /** The text is that of the turn's last model result, which history holds in full. */
  readonly textIsAnswer: boolean;
  readonly output?: JsonValue;
  readonly emptyAnswer?: boolean;
}

/** `link_full`: the turn is not over and goes on in a new link. */
export type TurnStop = TurnEnd | 'link_full';

export interface LoopState {
  readonly snapshot: AgentSnapshot;
  readonly transcript: Transcript;
  readonly turn: TurnState;
  readonly run: RunSpend;
}

const NUDGE = 'Your last answer was empty. Please answer, or say that there is nothing to add.';

function newTurn(turn: number, start: Mark): TurnState {
  return {
    turn,
    start,
    iteration: 0,
    spend: noSpend(),
    cutAnswers: 0,
    pauses: 0,
    malformed: 0,
    givenUp: 0,
    unfit: 0,
    nudged: false,
    repeats: null,
    lastState: { text: '', lastCalls: [] },
  };
}

/**
 * One turn: ask the model, run the calls it asks for, give the results back, until it ends its turn or something stops it.
 * Whatever stops it leaves a transcript without open calls, from which the next turn can go on.
 */
export async function runTurn(state: LoopState, ports: LoopPorts): Promise<TurnStop> {
  let paused = false;
  for (;;) {
    if (ports.cancelRequested()) return cancelled();
    if (!paused) for (const message of ports.takeQueued()) say(state.transcript, message);
    const limit = limitBeforeModelCall(state.snapshot.limits, spendOf(state, ports));
    if (limit) return stopAtLimit(state, ports, limit);
    if (!paused && ports.linkIsFull()) return 'link_full';
    state.turn.iteration++;
    const asked = await askModels(state, ports);
    if (asked.status === 'cancelled') return cancelled();
    if (asked.status === 'failed') return modelFailed(state, asked.reason, asked.message);
    takeIn(state, asked.result);
    const stop = await afterAnswer(state, ports, asked.result);
    if (stop) return stop;
    paused = asked.result.stopReason === 'pause_turn';
  }
}

/** Reasons for which another model may well answer. */
const OTHER_MODEL_MAY_ANSWER: ReadonlySet<Reason> = new Set([
  'auth',
  'permission',
  'not_found',
  'rate_limited',
  'overloaded',
  'server_error',
  'timeout',
  'connection',
  'stream_incomplete',
  'bad_model_response',
  'unknown_stop_reason',
]);

/** Asks the turn's model, and the next one of the agent where it is used up or down. */
async function askModels(state: LoopState, ports: LoopPorts): Promise<ModelAnswer> {
  const { snapshot, turn } = state;
  const models = [snapshot.model, ...snapshot.fallbackModels];
  for (;;) {
    const from = models[turn.givenUp] ?? snapshot.model;
    const asked = await ports.callModel(positionOf(state), from);
    const to = models[turn.givenUp + 1];
    if (asked.status !== 'failed' || to === undefined || !OTHER_MODEL_MAY_ANSWER.has(asked.reason)) return asked;
    ports.fact({ type: 'model_fallback', ...positionOf(state), from, to, reason: asked.reason });
    turn.givenUp++;
  }
}

function takeIn({ transcript, turn, run }: LoopState, result: CallModelResult): void {
  record(transcript, result);
  for (const spend of [turn.spend, run]) addSpend(spend, result);
  const text = result.message ? textOf(result.message) : '';
  if (text) turn.lastState = { ...turn.lastState, text: cutText(text, 500) };
}

/** What the model's answer leads to: the end of the turn, or undefined to ask again. */
async function afterAnswer(state: LoopState, ports: LoopPorts, result: CallModelResult): Promise<TurnEnd | undefined> {
  const text = result.message ? textOf(result.message) : '';
  switch (result.stopReason) {
    case 'refusal':
    case 'content_filter':
      rollBack(state.transcript, state.turn.start);
      return refused(result.stopReason, result.stopDetails ?? text);
    case 'context_overflow':
      rollBack(state.transcript, state.turn.start);
      return failed('context_overflow', 'The conversation no longer fits into the context of the model.');
    case 'pause_turn':
      if (state.transcript.open.length > 0) return afterCalls(state, ports, result);
      state.turn.pauses++;
      return state.turn.pauses > MAX_PAUSES ? pauseLimit(state, text) : undefined;
    case 'malformed_call':
      return afterMalformedCall(state, result.stopDetails);
    case 'max_tokens':
      if (state.transcript.open.length > 0) return afterCalls(state, ports, result);
      return { status: 'truncated', reason: 'truncated', text, textIsAnswer: true };
    case 'tool_use':
      if (state.transcript.open.length > 0) return afterCalls(state, ports, result);
      return failed('malformed_tool_call', 'The model stopped to use a tool, and its answer holds no call.');
    case 'end_turn':
    case 'stop_sequence':
      if (state.transcript.open.length > 0) return afterCalls(state, ports, result);
      if (result.outputProblem !== undefined) return afterUnfitAnswer(state, result.outputProblem);
      if (text === '') return afterEmptyAnswer(state);
      // A task has no next turn that could take what a user has said meanwhile.
      return snapshotIsTask(state) && ports.queued() > 0 ? undefined : completed(text, result.output);
    default:
      return assertNever(result.stopReason);
  }
}

function snapshotIsTask({ snapshot }: LoopState): boolean {
  return snapshot.mode === 'task';
}

/** Runs the open calls and answers them. */
async function afterCalls(state: LoopState, ports: LoopPorts, result: CallModelResult): Promise<TurnEnd | undefined> {
  const { snapshot, transcript, turn } = state;
  const calls = transcript.open;
  turn.repeats = seeCalls(turn.repeats, calls);
  if (turn.repeats.count >= snapshot.loopGuard.stopAt) {
    skipOpenCalls(state, ports, 'the same call was made again and again.');
    return failed('loop_detected', `The model made the same calls ${turn.repeats.count} times in a row.`);
  }
  const limit = limitBeforeCalls(snapshot.limits, spendOf(state, ports));
  if (limit) {
    skipOpenCalls(state, ports, `${limit.limit} is used up.`);
    return stopAtLimit(state, ports, limit);
  }
  const plan = planCalls(calls, result.verdicts, snapshot.tools, snapshot.limits.maxCallsPerIteration);
  for (const skipped of plan.skipped) ports.fact(skippedFact(state, skipped));
  const results = [...plan.answered, ...(await runCalls(plan.run, ports.runCall(positionOf(state))))];
  answerCalls(state, repeatWarning(turn.repeats, snapshot.loopGuard, results));
  if (!result.verdicts.some((verdict) => verdict.status === 'cut')) return undefined;
  turn.cutAnswers++;
  return turn.cutAnswers < MAX_CUT_ANSWERS ? undefined : cutAgain(turn.cutAnswers);
}

function answerCalls({ transcript, turn }: LoopState, results: readonly ToolResult[]): void {
  const names = new Map(transcript.open.map((call) => [call.callId, call.name]));
  const lastCalls = results.map((result) => ({
    name: cutText(names.get(result.callId) ?? '', 64),
    outcome: result.outcome,
    ...(result.outcome === 'completed' ? {} : { detail: detailOf(result, names.get(result.callId) ?? '') }),
  }));
  // The failing ones are what a reader looks for, and the memo that shows them is small.
  const shown = [...lastCalls.filter((call) => call.detail), ...lastCalls.filter((call) => !call.detail)];
  turn.lastState = { ...turn.lastState, lastCalls: shown.slice(0, 3) };
  answer(transcript, results);
}

function skipOpenCalls(state: LoopState, ports: LoopPorts, why: string): void {
  const skipped = state.transcript.open.map((call) => skip(call, why));
  for (const result of skipped) ports.fact(skippedFact(state, result));
  if (skipped.length > 0) answerCalls(state, skipped);
}

function skippedFact({ turn }: LoopState, { callId, content }: ToolResult): Fact {
  const text = content[0]?.type === 'text' ? content[0].text : '';
  return { type: 'call_skipped', turn: turn.turn, iteration: turn.iteration, callId, text };
}

/** The first line of what went wrong, without the name and outcome that stand beside it anyway. */
function detailOf({ content, outcome }: ToolResult, name: string): string {
  const text = content.find((block) => block.type === 'text')?.text ?? '';
  const line = text.split('\n', 1)[0] ?? '';
  const prefix = `${name} ${outcome}: `;
  return cutText(line.startsWith(prefix) ? line.slice(prefix.length) : line, 200);
}

/** An empty answer gets one nudge: models end empty after tool results when they take their work for done. */
function afterEmptyAnswer({ transcript, turn }: LoopState): TurnEnd | undefined {
  if (turn.nudged) return { ...completed(''), emptyAnswer: true };
  turn.nudged = true;
  say(transcript, userMessage(NUDGE));
  return undefined;
}

function afterMalformedCall({ transcript, turn }: LoopState, details = ''): TurnEnd | undefined {
  turn.malformed++;
  const told = cutText(details, MAX_ERROR_TEXT_BYTES);
  if (turn.malformed >= MAX_MALFORMED_ANSWERS) {
    return failed(
      'malformed_tool_call',
      `The model wrote ${turn.malformed} calls that could not be read. ${told}`.trim(),
    );
  }
  say(
    transcript,
    userMessage(`Your tool call could not be read${told && ` (${told})`}. Write it again as valid JSON.`),
  );
  return undefined;
}

/** An answer that does not fit goes back with what is wrong, twice at most. */
function afterUnfitAnswer({ transcript, turn }: LoopState, problem: string): TurnEnd | undefined {
  turn.unfit++;
  const told = cutText(problem, MAX_ERROR_TEXT_BYTES);
  if (turn.unfit > MAX_OUTPUT_CORRECTIONS) {
    return failed('invalid_output', `The answer does not fit the schema of the output: ${told}`);
  }
  say(
    transcript,
    userMessage(`Your answer does not fit the schema that was asked for: ${told}. Answer again with JSON alone.`),
  );
  return undefined;
}

function stopAtLimit(state: LoopState, ports: LoopPorts, stop: LimitStop): TurnEnd {
  const { turn } = state;
  const { limit, value, spent, reason } = stop;
  ports.fact({ type: 'limit_reached', ...positionOf(state), limit, value, spent, lastState: turn.lastState });
  const text = limitSentence(stop, spendOf(state, ports), turn.lastState);
  return { status: 'limit_reached', reason, text, textIsAnswer: false };
}

function spendOf({ turn, run }: LoopState, ports: LoopPorts): Spend {
  return {
    iterations: turn.iteration,
    usage: run.usage,
    knownCostUsdMicros: run.knownCostUsdMicros,
    elapsedMs: ports.nowMs() - run.startedAtMs,
  };
}

function positionOf({ turn }: LoopState): Position {
  return { turn: turn.turn, iteration: turn.iteration };
}

function addSpend(spend: ModelSpend, { usage, costUsdMicros, costUnknown }: CallModelResult): void {
  spend.usage = addUsage(spend.usage, usage);
  spend.knownCostUsdMicros += costUsdMicros ?? 0;
  spend.costUsdMicros = costUsdMicros === null || spend.costUsdMicros === null ? null : spend.knownCostUsdMicros;
  spend.costUnknown ??= costUnknown;
}

function completed(text: string, output?: JsonValue): TurnEnd {
  return { status: 'completed', text, textIsAnswer: true, ...(output !== undefined && { output }) };
}

/** The end that a cancelled run has. */
export function cancelled(): TurnEnd {
  return { status: 'cancelled', reason: 'user_cancelled', text: 'The run was cancelled.', textIsAnswer: false };
}

/** The end of what could not go on. */
export function failed(reason: Reason, message: string): TurnEnd {
  return { status: 'failed', reason, text: message, textIsAnswer: false };
}

/** These say that what the turn added can't be sent; kept, it would make every later turn fail too. */
const UNSENDABLE: ReadonlySet<Reason> = new Set([
  'invalid_request',
  'too_large',
  'context_overflow',
  'payload_too_large',
]);

function modelFailed({ transcript, turn }: LoopState, reason: Reason, message: string): TurnEnd {
  if (UNSENDABLE.has(reason)) rollBack(transcript, turn.start);
  return failed(reason, message);
}

function refused(stopReason: 'refusal' | 'content_filter', details: string): TurnEnd {
  const text = `The model refused to answer${details ? `: ${details}` : '.'}`;
  return { status: 'refused', reason: stopReason, text, textIsAnswer: false };
}

function cutAgain(times: number): TurnEnd {
  const text = `The output limit cut the model's calls ${times} times; raise maxOutputTokens.`;
  return { status: 'truncated', reason: 'truncated', text, textIsAnswer: false };
}

function pauseLimit({ turn }: LoopState, text: string): TurnEnd {
  const message = `Stopped: the model paused ${turn.pauses} times within the turn.${text ? ` Last: ${text}` : ''}`;
  return { status: 'limit_reached', reason: 'pause_limit', text: message, textIsAnswer: false };
}

/** The mark from which a new turn starts. */
export function beginTurn(turn: number, transcript: Transcript, messages: readonly UserMessage[]): TurnState {
  const state = newTurn(turn, mark(transcript));
  for (const message of messages) say(transcript, message);
  return state;
}
