// The port between the loop and a provider. An adapter knows one wire API; it never sees Temporal, tools or limits.

import type { StopReason } from '../protocol/activities.ts';
import type { AssistantMessage, JsonObject, Message } from '../protocol/messages.ts';
import type { Reason, Usage } from '../protocol/run.ts';
import type { ToolSpec } from '../protocol/snapshot.ts';

/** One request to a model: the whole context, in neutral form. */
export interface ModelRequest {
  /** The model's name without the provider. */
  readonly model: string;
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
  readonly maxOutputTokens: number;
  /** JSON Schema that the final text must fit. Asked for natively where the service takes it, else in words. */
  readonly output?: JsonObject;
  /** Merged into the request as they are: thinking settings, sampling, beta features. */
  readonly modelOptions?: JsonObject;
  /** Server-side tools, sent beside `tools` as they are. */
  readonly providerTools?: readonly JsonObject[];
  /** The provider may hold the conversation. An adapter whose wire has no such thing sends all of it, as always. */
  readonly providerThread?: boolean;
}

/** What a stream yields, in order. `finished` comes exactly once, last; a stream that ends without it is broken. */
export type ModelEvent =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'reasoning_delta'; readonly text: string }
  /** A call is complete as far as the wire says; whether it may run is not for the adapter to judge. */
  | { readonly type: 'tool_call'; readonly name: string }
  | { readonly type: 'usage'; readonly usage: Usage }
  /** A sign of life without content, such as a ping. */
  | { readonly type: 'alive' }
  | {
      readonly type: 'finished';
      /** The whole content, in order. Call ids are the provider's, even where they repeat. Empty text is left out. */
      readonly message: AssistantMessage;
      readonly stopReason: StopReason;
      readonly rawStopReason: string;
      readonly stopDetails?: string;
      readonly model: string;
      readonly usage: Usage;
    };

/** The kinds of model failure: those reasons of `protocol/run.ts` that a provider can cause, and the caller's abort. */
export type ModelErrorKind = Extract<
  Reason,
  | 'invalid_request'
  | 'auth'
  | 'permission'
  | 'not_found'
  | 'too_large'
  | 'rate_limited'
  | 'overloaded'
  | 'server_error'
  | 'timeout'
  | 'connection'
  | 'stream_incomplete'
  | 'context_overflow'
  | 'bad_model_response'
  | 'unknown_stop_reason'
  | 'user_cancelled'
>;

export interface ModelErrorOptions {
  readonly retryable: boolean;
  /** How long the provider asks to wait, in ms. */
  readonly retryAfterMs?: number;
  /** HTTP status, where there was one. */
  readonly status?: number;
  readonly cause?: unknown;
}

/** The one error that an adapter throws. Its message may be shown to a user and never holds a secret. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly kind: ModelErrorKind;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;

  constructor(kind: ModelErrorKind, message: string, options: ModelErrorOptions) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
  }
}

/**
 * One provider's wire.
 * Must stream with the provider's official SDK and its retries off, stop reading as soon as `signal` aborts,
 * and throw nothing but {@link ModelError}.
 */
export interface ModelAdapter {
  /** Loads what the first request would have to wait for. A failure shows at that request. */
  prepare?(): Promise<unknown>;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
