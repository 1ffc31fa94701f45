import type { CallModelResult, Position } from '../protocol/activities.ts';
import type { Fact } from '../protocol/facts.ts';
import type { UserMessage } from '../protocol/messages.ts';
import type { Reason } from '../protocol/run.ts';
import type { AgentSnapshot } from '../protocol/snapshot.ts';
import type { RunCall } from './dispatch.ts';
import type { Transcript } from './transcript.ts';
import type { RunSpend, TurnState } from './turn.ts';

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
