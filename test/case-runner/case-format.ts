// The shape of a case file, as far as the runner itself reads it. test/cases/FORMAT.md says what each word means.

/** Any JSON value of a case file. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A JSON object of a case file. */
export interface JsonMap {
  [key: string]: Json;
}

/** An exact number, or its bounds. */
export type Bounds = number | { readonly min?: number; readonly max?: number };

/** What a handler does: `do` is the verb, the other fields are its arguments. */
export interface Behaviour extends JsonMap {
  readonly do: string;
}

/** A tool of a case. */
export interface CaseTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonMap;
  readonly behaviour: Behaviour;
  readonly idempotent?: boolean;
  readonly retry?: 'none';
  readonly via?: string;
  readonly builtin?: string;
  readonly advertise?: boolean;
}

/** A user message, and what it waits for. */
export interface CaseInput {
  readonly user: string;
  readonly after?: 'idle' | 'cancelled';
}

/** Something that is done from outside when something happens. */
export interface CaseEvent {
  readonly on: 'tool_started' | 'run_idle' | 'model_request';
  readonly tool?: string;
  /** Counts from 1. Default 1. */
  readonly nth?: number;
  readonly after_ms?: number;
  readonly do: 'kill_worker_and_restart' | 'cancel_run' | 'user_message' | 'sigterm_worker_then_start_new';
  readonly text?: string;
}

/** The settings of a case that the runner turns into settings of the agent. */
export interface CaseSettings {
  readonly model_attempts?: number;
  readonly max_tokens?: number;
  readonly thinking?: 'on';
  readonly continue_as_new_after_events?: number;
  readonly compaction?: 'on' | 'off';
  readonly context_window_tokens?: number;
  readonly api_key?: string;
  readonly server_tools?: readonly string[];
  readonly max_iterations?: number;
  readonly loop_guard?: { readonly warn: number; readonly stop: number };
  readonly stream_idle_timeout_ms?: number;
  readonly heartbeat_timeout_ms?: number;
  readonly tool_result_cap_chars?: number;
  readonly shutdown_grace_ms?: number;
}

/** What a case expects, word by word; `expectations.ts` has the meaning of each. */
type CaseExpect = JsonMap;

/** One case. */
export interface CaseFile {
  readonly id: string;
  readonly provider: string;
  readonly strict_api?: boolean | 'allow_unknown_blocks';
  readonly settings?: CaseSettings;
  readonly input: readonly CaseInput[];
  readonly events?: readonly CaseEvent[];
  readonly model_responses: readonly Json[];
  readonly extra_responses_allowed?: readonly Json[];
  readonly tools: readonly CaseTool[];
  readonly expect: CaseExpect;
  readonly compaction_response?: JsonMap;
  readonly alternative_expect?: CaseExpect;
  /** Branches for the next answer, by the request seen. */
  readonly then_by_state?: Json;
}

/** Whether a value is a JSON object: no list and not null. */
export function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
