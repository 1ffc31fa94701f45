import type { CallModelResult, Position, SummarizeResult } from '../protocol/activities.ts';
import type { Fact } from '../protocol/facts.ts';
import type { UserMessage } from '../protocol/messages.ts';
import type { Reason } from '../protocol/run.ts';
import type { AgentSnapshot } from '../protocol/snapshot.ts';
import type { RunCall } from './dispatch.ts';
import type { Transcript } from './transcript.ts';
import type { RunSpend, TurnState } from './turn.ts';

/** How an activity that asks a model ended, without an answer. Never an exception: the loop decides what follows. */
export type NoAnswer =
  | { readonly status: 'failed'; readonly reason: Reason; readonly message: string }
  | { readonly status: 'cancelled' };

/** How a model call ended. */
export type ModelAnswer = { readonly status: 'completed'; readonly result: CallModelResult } | NoAnswer;

/** How a compaction's model call ended. */
export type SummaryAnswer = { readonly status: 'completed'; readonly result: SummarizeResult } | NoAnswer;

/** Which messages a summary stands for: those before `cut`. */
export interface CompactionPlan {
  readonly cut: number;
  /** Where the turn began, in messages. */
  readonly turnStart: number;
}

/** What the loop needs of the world. Nothing here rejects. */
export interface LoopPorts {
  /** Asks one model with what the transcript holds. */
  callModel(position: Position, model: string): Promise<ModelAnswer>;
  /** Asks one model for a summary of the messages before `cut`. */
  summarize(position: Position, model: string, compaction: CompactionPlan): Promise<SummaryAnswer>;
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

/** All that a turn reads and changes. */
export interface LoopState {
  readonly snapshot: AgentSnapshot;
  readonly transcript: Transcript;
  readonly turn: TurnState;
  readonly run: RunSpend;
}

/** Where the turn is. */
export function positionOf({ turn }: LoopState): Position {
  return { turn: turn.turn, iteration: turn.iteration };
}

/** The agent's models in the order in which they are asked. */
export function modelsOf({ snapshot }: LoopState): readonly string[] {
  return [snapshot.model, ...snapshot.fallbackModels];
}

/** The model that the turn has come to. */
export function modelOfTurn(state: LoopState): string {
  return modelsOf(state)[state.turn.givenUp] ?? state.snapshot.model;
}
