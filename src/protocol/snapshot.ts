// What a run knows of its agent and tools: the snapshot that is taken once, recorded in history, and carried along.

import type { JsonObject } from './messages.ts';
import type { Limits, RunMode } from './run.ts';

/**
 * What happens when a tool runs twice: `read` nothing, `idempotent` the same as once, `once` it must not.
 * The first two are run again after a throw, a time-out or a dead worker; `once` never is.
 */
export const EFFECTS = ['read', 'idempotent', 'once'] as const;
export type Effect = (typeof EFFECTS)[number];

/** A tool as the model is told of it. `name` is the wire name. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject;
}

/** A tool as a run knows it: its spec, and the policy by which the run calls it. */
export interface ToolSnapshot extends ToolSpec {
  /** The name in code, where it is no legal wire name. */
  readonly toolName?: string;
  readonly effect: Effect;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly maxResultBytes: number;
  readonly quick: boolean;
}

/** Limits with their defaults filled in; only those without a default may be absent. */
export interface ResolvedLimits extends Limits {
  readonly maxIterations: number;
  readonly maxCallsPerIteration: number;
}

/** Consecutive iterations with the same calls and inputs: the model is warned, then the turn stops. */
export interface LoopGuard {
  readonly warnAt: number;
  readonly stopAt: number;
}

/** How a context that grows too long is made short. */
export interface Compaction {
  /** What the model's context takes, in tokens. */
  readonly contextWindowTokens: number;
  /** Writes the summary. Default: the model of the turn. */
  readonly model?: string;
}

/** What the model sees before the first message. It is segment 0 of every context and the root of its digest. */
export interface ContextHead {
  readonly instructions: string;
  /** Sorted by name, so that the same tools always give the same bytes. */
  readonly tools: readonly ToolSpec[];
  /** JSON Schema of the answer. */
  readonly output?: JsonObject;
  /** Digest of the context that a compaction has put this one in the place of. */
  readonly parent?: string;
}

/**
 * An agent as it was when the run began. Whatever is deployed later, a task keeps to it; a chat takes the agent as it is
 * then at the beginning of a turn.
 */
export interface AgentSnapshot {
  readonly agent: string;
  readonly instructions: string;
  /** `provider/model`. */
  readonly model: string;
  /** Asked in this order when the model before is used up or down; a turn begins with `model` again. */
  readonly fallbackModels: readonly string[];
  readonly tools: readonly ToolSnapshot[];
  readonly limits: ResolvedLimits;
  readonly maxOutputTokens: number;
  readonly modelAttempts: number;
  readonly streamIdleTimeoutMs: number;
  readonly heartbeatTimeoutMs: number;
  /** Events of one link's history after which the run goes on in a new link, between two iterations. */
  readonly continueAsNewAfterEvents: number;
  readonly loopGuard: LoopGuard;
  /** Sent to the provider as they are. */
  readonly modelOptions?: JsonObject;
  readonly providerTools?: readonly JsonObject[];
  /** The provider may hold the conversation, so that only what is new is sent. */
  readonly providerThread?: boolean;
  readonly output?: JsonObject;
  readonly compaction?: Compaction;
  readonly mode: RunMode;
  readonly live: boolean;
  /** Digest of the {@link ContextHead}: what the first model call stands on. */
  readonly digest: string;
  /** Hash over all that a deploy may change. */
  readonly hash: string;
  /** Largest payload that the worker can deliver: larger with external storage than without. */
  readonly maxPayloadBytes: number;
  /** Whether the namespace has Pawl's search attributes. */
  readonly searchAttributes: boolean;
  /** Whether the worker has an `onDone` hook to be told of the run's end. */
  readonly onDone: boolean;
}

/** The part of a snapshot that the model sees. */
export function contextHead({
  instructions,
  tools,
  output,
}: Pick<AgentSnapshot, 'instructions' | 'tools' | 'output'>): ContextHead {
  return {
    instructions,
    tools: tools.map(({ name, description, input_schema }) => ({ name, description, input_schema })),
    ...(output && { output }),
  };
}

/** What a worker is rather than what the agent is, and what follows from the rest. */
const NOT_SETTINGS: ReadonlySet<string> = new Set([
  'digest',
  'hash',
  'maxPayloadBytes',
  'searchAttributes',
  'onDone',
] satisfies (keyof AgentSnapshot)[]);

/** The names of the settings in which two snapshots differ, in the order of the alphabet. */
export function changedSettings(before: AgentSnapshot, after: AgentSnapshot): string[] {
  const names = Object.keys({ ...before, ...after }) as (keyof AgentSnapshot)[];
  return names.filter((name) => !NOT_SETTINGS.has(name) && !sameJson(before[name], after[name])).sort();
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
