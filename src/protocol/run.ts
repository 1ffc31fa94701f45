// What a run is asked for and how it ends: plain JSON, the same in every realm and for a client in any language.

import type { JsonObject, JsonValue, Message, Prompt } from './messages.ts';

/** How a turn or a run ended. */
export const STATUSES = ['completed', 'limit_reached', 'refused', 'truncated', 'cancelled', 'failed'] as const;
export type Status = (typeof STATUSES)[number];

/** Why a turn or a run ended otherwise than completed. The failure types of model calls use the same words in Pascal case. */
export const REASONS = [
  'invalid_request',
  'auth',
  'permission',
  'not_found',
  'too_large',
  'rate_limited',
  'overloaded',
  'server_error',
  'timeout',
  'connection',
  'stream_incomplete',
  'context_overflow',
  'content_filter',
  'refusal',
  'truncated',
  'malformed_tool_call',
  'invalid_output',
  'bad_model_response',
  'unknown_stop_reason',
  'iteration_limit',
  'token_limit',
  'cost_limit',
  'time_limit',
  'pause_limit',
  'loop_detected',
  'user_cancelled',
  'unknown_agent',
  'payload_too_large',
] as const;
export type Reason = (typeof REASONS)[number];

/** How a call ended. `unknown`: it started, and whether it had its effect cannot be known. */
export const OUTCOMES = ['completed', 'failed', 'denied', 'skipped', 'cancelled', 'unknown'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Tokens as the provider counted them. `inputTokens` leaves out what was read from or written to the prompt cache. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** The part of `outputTokens` that went into reasoning; 0 where the provider does not tell. Never more than the whole. */
  readonly reasoningTokens: number;
}

export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

/** The sum of two usages, field by field. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  };
}

/** All tokens of a usage: input, output with what went into reasoning, and both kinds of cache tokens. */
export function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/**
 * Budgets. Iterations and calls count within a turn; tokens, money and time within the whole run.
 * A limit that is absent does not stop a run, except those with a default in `protocol/limits.ts`.
 */
export interface Limits {
  /** Iterations a turn. Default 10. */
  readonly maxIterations?: number;
  /** Calls an iteration; those beyond are skipped and the model is told. Default 64. */
  readonly maxCallsPerIteration?: number;
  /** Tokens of the run, all kinds together. */
  readonly maxTotalTokens?: number;
  /** Money of the run, in millionths of a USD. Model calls without a known price count as nothing. */
  readonly maxCostUsdMicros?: number;
  /** Wall-clock time of the run, in ms, idle time of a chat included. */
  readonly maxDurationMs?: number;
}

/** The name of a limit, as events and results print it. */
export type LimitName = keyof Limits;

/** All limits, for checks of what somebody has typed. */
export const LIMIT_NAMES = Object.keys({
  maxIterations: true,
  maxCallsPerIteration: true,
  maxTotalTokens: true,
  maxCostUsdMicros: true,
  maxDurationMs: true,
} satisfies Record<LimitName, true>);

/** `task`: one turn, and its end is the run's. `chat`: the run waits for the next message after each turn. */
export type RunMode = 'task' | 'chat';

/** What a run is asked to do: the one argument of the workflow `agentRun`. */
export interface RunRequest {
  readonly agent: string;
  /** What the user says first. May be absent only where `messages` ends with a user message, or in a `chat`. */
  readonly prompt?: Prompt;
  /** A conversation to go on from. It is checked like any transcript; its first fault is named by position. */
  readonly messages?: readonly Message[];
  /** Overrides the agent's model: `provider/model`, or a model name with a known prefix. */
  readonly model?: string;
  /** Overrides the agent's instructions. */
  readonly instructions?: string;
  /** Only these of the agent's tools, by name. */
  readonly tools?: readonly string[];
  /** Overrides the agent's limits, one by one. */
  readonly limits?: Limits;
  /** JSON Schema of the answer, instead of the agent's: the result then has a checked `output`. */
  readonly output?: JsonObject;
  /** Default `task`. */
  readonly mode?: RunMode;
  /** Heartbeats carry the text while it is written. On Temporal Cloud each beat is a billed action. Default false. */
  readonly live?: boolean;
  readonly requestedBy?: string;
  readonly tenant?: string;
  /** The caller's own data; carried in the history, never sent to a model. */
  readonly metadata?: JsonObject;
}

/** What happened last, for a reader of a run that stopped early. */
export interface LastState {
  /** The model's last text, cut to 500 bytes. */
  readonly text: string;
  /** The calls of the last iteration that had any. `detail` is the first line of an error, cut to 200 bytes. */
  readonly lastCalls: readonly { readonly name: string; readonly outcome: Outcome; readonly detail?: string }[];
}

/** How a turn ended. */
export interface TurnResult {
  readonly status: Status;
  /** Absent exactly when `status` is `completed`. */
  readonly reason?: Reason;
  /** The answer; where the turn stopped early, the sentence that says why. */
  readonly text: string;
  /** The answer as a value that fits the schema, where the agent or the request has one. Only when completed. */
  readonly output?: JsonValue;
  readonly iterations: number;
  readonly usage: Usage;
  /** Millionths of a USD; null where the price of a model that was called is not known. */
  readonly costUsdMicros: number | null;
  /** Why the cost is not known. */
  readonly costUnknown?: string;
  readonly lastState: LastState;
  /** True when the model ended its turn with nothing to say, also after the one nudge. */
  readonly emptyAnswer?: boolean;
}

/** How a run ended: the result of its last turn, with usage and cost summed over the run. */
export interface RunResult extends TurnResult {
  readonly turns: number;
  /** Messages that the model has seen or written, and the digest over them. */
  readonly transcript: { readonly length: number; readonly digest: string };
}

/** What `send` takes. `requestId` makes a repeated delivery harmless. */
export interface SendRequest {
  readonly requestId: string;
  readonly prompt: Prompt;
}

/** What `send` answers: the turn that is running, or the one that the message starts. */
export interface SendReceipt {
  readonly turn: number;
}

/** Where a run stands: what the query `status` answers. */
export interface RunState {
  readonly state: 'starting' | 'running' | 'idle' | 'closing';
  readonly turn: number;
  readonly iteration: number;
  /** Messages that wait for their turn. */
  readonly queued: number;
  readonly usage: Usage;
  readonly costUsdMicros: number | null;
  readonly link: number;
}

/** Names that Temporal clients of any language use. */
export const WORKFLOW_TYPE = 'agentRun';
export const UPDATES = { send: 'send', close: 'close' } as const;
export const QUERIES = { status: 'status', context: 'context' } as const;
/** Types of the failures with which a run refuses a message or ends. */
export const RUN_FAILURES = { closing: 'Run.Closing', invalid: 'Run.InvalidRequest', failed: 'Run.Failed' } as const;
/** Memo keys: facts of the last workflow task that had any, and the result of a run that has ended. */
export const MEMO = { facts: 'pawl.facts', result: 'pawl.result' } as const;
