// The contract between workflow and activities. Workflows import this file and nothing of activities, not even types.

import type { AssistantMessage, JsonObject, JsonValue, Message, ResultContent, UserMessage } from './messages.ts';
import type { Outcome, Reason, RunRequest, RunResult, Usage } from './run.ts';
import type { AgentSnapshot, ContextHead } from './snapshot.ts';

/** Activity types of our own have a dot, which no tool's wire name can have. */
export const ACTIVITIES = {
  resolveAgent: 'pawl.resolveAgent',
  callModel: 'pawl.callModel',
  summarize: 'pawl.summarize',
  changeHead: 'pawl.changeHead',
  runDone: 'pawl.runDone',
} as const;

/** The model's stop reason in neutral words. A switch over them is exhaustive. */
export const STOP_REASONS = [
  'end_turn',
  'tool_use',
  'max_tokens',
  'stop_sequence',
  'pause_turn',
  /** The provider could not read a call that the model wrote; nothing of it is kept. */
  'malformed_call',
  'refusal',
  'context_overflow',
  'content_filter',
] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/** Where a model call happens: for events, summaries and hooks. */
export interface Position {
  readonly turn: number;
  readonly iteration: number;
}

/** A prefix of the run's context, named by its length in messages and the digest over them. */
export interface ContextRef {
  /** Number of the context; a compaction starts the next one. */
  readonly context: number;
  readonly length: number;
  readonly digest: string;
}

export interface ResolveAgentInput {
  readonly request: Omit<RunRequest, 'prompt' | 'messages' | 'metadata'>;
  /** Hash of the snapshot that the run has: there is nothing to tell where it is still the same. */
  readonly unless?: string;
}

/** A context whose instructions, tools or output are now others; its messages stay. */
export interface ChangeHeadInput {
  readonly base: ContextRef;
  readonly head: ContextHead;
}

/** Only what is new since the last call travels; the worker holds the base, or asks the run for it. */
export interface CallModelInput extends Position {
  readonly base: ContextRef;
  readonly append: readonly Message[];
  readonly agent: string;
  readonly model: string;
  readonly maxOutputTokens: number;
  readonly streamIdleTimeoutMs: number;
  readonly modelOptions?: JsonObject;
  readonly providerTools?: readonly JsonObject[];
  /** The provider may hold the conversation, so that only what is new is sent. */
  readonly providerThread?: boolean;
  readonly live?: boolean;
}

/**
 * What becomes of a call before any handler is run. All but `ok` are answered at once with `text`.
 * `cut`: the output limit ended the answer inside this call.
 */
export type Verdict =
  | { readonly status: 'ok' }
  | { readonly status: 'unknown_tool'; readonly text: string }
  | { readonly status: 'invalid_input'; readonly path: string; readonly text: string }
  | { readonly status: 'cut'; readonly text: string };

export interface CallModelResult {
  /** Null where the model said nothing that may stay in a transcript. */
  readonly message: AssistantMessage | null;
  readonly stopReason: StopReason;
  readonly rawStopReason: string;
  /** The provider's words for a refusal: category and explanation. */
  readonly stopDetails?: string;
  /** The model that answered, as the provider names it. */
  readonly model: string;
  readonly attempt: number;
  readonly usage: Usage;
  /** Millionths of a USD; null where the price is not known. */
  readonly costUsdMicros: number | null;
  /** Why the price is not known. */
  readonly costUnknown?: string;
  /** Digest over base, append and message. */
  readonly digest: string;
  /** Tokens of the context with this answer: as the provider counted them, or an estimate where that is more. */
  readonly contextTokens: number;
  /** The answer as a value, where the context asks for one and this answer is final and fits. */
  readonly output?: JsonValue;
  /** Why a final answer does not fit, in the words for the model. */
  readonly outputProblem?: string;
  /** One verdict for each call of the message, in its order. */
  readonly verdicts: readonly Verdict[];
}

/** A compaction: the messages before `cut` become one summary, and those from `cut` on stay. */
export interface SummarizeInput extends Position {
  readonly base: ContextRef;
  readonly cut: number;
  /** Where the turn began, in messages of the base: the place to which a turn that is forgotten goes back. */
  readonly turnStart: number;
  readonly agent: string;
  readonly model: string;
  readonly contextWindowTokens: number;
  readonly streamIdleTimeoutMs: number;
}

/** Marks the blocks of a summary that are not the user's own words. */
export const SUMMARY_META = { pawl: 'summary' } as const;

/** Whether a compaction has made this block. */
export function isOfSummary(block: Message['content'][number]): boolean {
  return block.type === 'text' && block.meta?.['pawl'] === SUMMARY_META.pawl;
}

/** The next context: this message, then the messages that were kept. */
export interface SummarizeResult {
  readonly summary: UserMessage;
  /** Digest over the new context: its head, which names the old one as its parent, the summary and what was kept. */
  readonly digest: string;
  readonly contextTokens: number;
  /** The new context as far as the turn's beginning; only the summary where the turn began before the cut. */
  readonly turnStart: { readonly length: number; readonly digest: string; readonly tokens: number };
  /** The model that wrote the summary, as the provider names it. */
  readonly model: string;
  readonly attempt: number;
  readonly usage: Usage;
  readonly costUsdMicros: number | null;
  readonly costUnknown?: string;
}

export interface CallToolInput extends Position {
  readonly callId: string;
  readonly input: JsonObject;
  readonly agent: string;
  /** Cap for this result: the smaller of the tool's own and its share of the iteration's. */
  readonly maxResultBytes: number;
  /** Set when the call runs as a local activity: one attempt, and a failure is handed back unchanged. */
  readonly quick?: boolean;
}

/** How one call ended, as the model will read it. `content` is never empty. */
export interface ToolResult {
  readonly callId: string;
  readonly outcome: Outcome;
  readonly content: readonly ResultContent[];
  readonly attempt?: number;
}

/** The activities that a worker registers under {@link ACTIVITIES}; a tool's activity has the tool's wire name. */
export interface PawlActivities {
  /** Null where the agent is what `unless` names. */
  'pawl.resolveAgent'(input: ResolveAgentInput): Promise<AgentSnapshot | null>;
  'pawl.callModel'(input: CallModelInput): Promise<CallModelResult>;
  'pawl.summarize'(input: SummarizeInput): Promise<SummarizeResult>;
  'pawl.changeHead'(input: ChangeHeadInput): Promise<Pick<ContextRef, 'digest'>>;
  'pawl.runDone'(result: RunResult): Promise<void>;
}

/** The activity behind every tool. */
export type CallTool = (input: CallToolInput) => Promise<ToolResult>;

/** Types of the failures that activities end with. A model failure is `Model.` and its reason in Pascal case. */
export const FAILURES = {
  /** The worker died during an attempt; the next one starts at once. */
  workerLost: 'Worker.Lost',
  /** The worker died during a `once` call: the outcome is unknown. */
  workerLostOnce: 'Worker.LostOnce',
  /** This worker has no tool of that name, for example an older deployment. */
  toolNotHere: 'Tool.NotHere',
  /** A handler failed and will be tried again. */
  toolFailed: 'Tool.Failed',
  /** The base of a context could not be had; another attempt may get it. */
  transcriptUnavailable: 'Transcript.Unavailable',
  unknownAgent: 'Agent.Unknown',
  invalidAgent: 'Agent.Invalid',
  /** The SDK's own type for a payload that it refuses to send. */
  payloadsTooLarge: 'PayloadsTooLarge',
} as const;

/** Failure types that no retry can mend. */
export const NON_RETRYABLE: readonly string[] = [
  FAILURES.workerLostOnce,
  FAILURES.toolNotHere,
  FAILURES.unknownAgent,
  FAILURES.invalidAgent,
  FAILURES.payloadsTooLarge,
];

/** `rate_limited` → `Model.RateLimited`. */
export function modelFailureType(reason: Reason): string {
  return `Model.${reason.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())}`;
}

/** The reason in a model failure's type; undefined for a failure of another family. */
export function reasonOfFailureType(type: string | null | undefined): Reason | undefined {
  if (!type?.startsWith('Model.')) return undefined;
  return type
    .slice('Model.'.length)
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase() as Reason;
}
