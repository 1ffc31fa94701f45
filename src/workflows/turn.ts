import type { CallModelResult } from '../protocol/activities.ts';
import type { UserMessage } from '../protocol/messages.ts';
import { addUsage, type LastState, NO_USAGE, type Usage } from '../protocol/run.ts';
import type { RepeatState } from './repeats.ts';
import { type Mark, mark, say, type Transcript } from './transcript.ts';

/** One turn in progress: plain JSON, so that a new link can go on in the middle of it. */
export interface TurnState {
  readonly turn: number;
  iteration: number;
  readonly spend: ModelSpend;
  /** Where the transcript stood before the user's message: a refused turn is forgotten from here on. */
  start: Mark;
  cutAnswers: number;
  pauses: number;
  /** Answers whose calls the provider could not read. */
  malformed: number;
  /** Models of the agent that could not answer in this turn. */
  givenUp: number;
  /** Answers that did not fit the schema of the output. */
  unfit: number;
  /** The context was compacted because the model would take no more of it. */
  overflowed: boolean;
  /** No summary could be had in this turn. */
  uncompactable: boolean;
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

/** A new turn about these messages. Where it began is kept, in case it must be forgotten. */
export function beginTurn(turn: number, transcript: Transcript, messages: readonly UserMessage[]): TurnState {
  const state = newTurn(turn, mark(transcript));
  for (const message of messages) say(transcript, message);
  return state;
}

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
    overflowed: false,
    uncompactable: false,
    nudged: false,
    repeats: null,
    lastState: { text: '', lastCalls: [] },
  };
}

/** Counts what a model call has used up, to the turn and to the run. */
export function pay({ turn, run }: { readonly turn: TurnState; readonly run: RunSpend }, paid: Paid): void {
  for (const spend of [turn.spend, run]) addSpend(spend, paid);
}

type Paid = Pick<CallModelResult, 'usage' | 'costUsdMicros' | 'costUnknown'>;

function addSpend(spend: ModelSpend, { usage, costUsdMicros, costUnknown }: Paid): void {
  spend.usage = addUsage(spend.usage, usage);
  spend.knownCostUsdMicros += costUsdMicros ?? 0;
  spend.costUsdMicros = costUsdMicros === null || spend.costUsdMicros === null ? null : spend.knownCostUsdMicros;
  spend.costUnknown ??= costUnknown;
}
