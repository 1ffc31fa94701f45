// What a user's code may watch and forbid. Hooks run in the worker process, inside the activity that they tell of.

import type { CallModelResult, Position } from '../protocol/activities.ts';
import type { JsonObject, ResultContent } from '../protocol/messages.ts';
import type { Outcome, RunResult } from '../protocol/run.ts';

/** Where a fact belongs. Facts come once an attempt, so a retried attempt tells its own again. */
export interface HookPlace extends Position {
  /** The run's id, which is its workflow id. */
  readonly run: string;
  readonly agent: string;
  readonly attempt: number;
}

/** A model is about to be called. */
interface ModelCallFact extends HookPlace {
  readonly model: string;
  /** Messages that the model will see. */
  readonly messages: number;
}

/** A piece of text, while the model writes it. */
interface TextDeltaFact extends HookPlace {
  readonly text: string;
}

/** A model has answered. */
interface ModelResultFact extends HookPlace {
  readonly result: CallModelResult;
}

/** A call is about to run. Its input has been checked. */
export interface ToolCallFact extends HookPlace {
  readonly callId: string;
  readonly name: string;
  readonly input: JsonObject;
  /** The same for every attempt of this call. */
  readonly idempotencyKey: string;
}

/** A call has been answered, by its handler or without it. */
interface ToolResultFact extends HookPlace {
  readonly callId: string;
  readonly name: string;
  readonly outcome: Outcome;
  readonly content: readonly ResultContent[];
}

/** An attempt of a model call or a tool call failed. Whether it is tried again is not decided here. */
interface ErrorFact extends HookPlace {
  /** The model, or the tool. */
  readonly name: string;
  readonly callId?: string;
  readonly error: unknown;
}

/** A run has ended. */
interface DoneFact {
  readonly run: string;
  readonly attempt: number;
  readonly result: RunResult;
}

/** What the gate answers about a call. The reason of a denial is told to the model. */
export type GateAnswer = { readonly allow: true } | { readonly deny: true; readonly reason: string };

/** The facts of the observers, by hook. */
export interface HookFacts {
  readonly onModelCall: ModelCallFact;
  readonly onTextDelta: TextDeltaFact;
  readonly onModelResult: ModelResultFact;
  readonly onToolCall: ToolCallFact;
  readonly onToolResult: ToolResultFact;
  readonly onError: ErrorFact;
  readonly onDone: DoneFact;
}

/**
 * Observers: they can change nothing. They are called at once and nobody waits for a promise that they return; what they
 * throw is logged once a hook and never breaks a run.
 */
export type Observers = {
  readonly [Name in keyof HookFacts]?: (fact: HookFacts[Name]) => unknown;
};

/** What `createWorker` takes. */
export interface Hooks extends Observers {
  /**
   * The gate: asked before each attempt to run a handler. It fails closed: a throw, an answer of another shape, or none
   * within 5 s denies the call.
   */
  beforeTool?(call: ToolCallFact): GateAnswer | Promise<GateAnswer>;
}
