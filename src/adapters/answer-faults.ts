// What can be wrong with an answer that came: the errors, and the questions that tell one.

import type { StopReason } from '../protocol/activities.ts';
import type { JsonObject, JsonValue } from '../protocol/messages.ts';
import { ModelError } from './model-adapter.ts';

/** The error for an answer that is not of its wire's form. Another attempt may meet a healthier server or proxy. */
export function badResponse(what: string, cause?: unknown): ModelError {
  return new ModelError('bad_model_response', `The model's answer is malformed: ${what}.`, { retryable: true, cause });
}

/** The error for an answer that ended before it was whole: nothing of it counts. */
export function incomplete(text: string): ModelError {
  return new ModelError('stream_incomplete', text, { retryable: true });
}

/** The neutral word for a provider's stop reason. Throws ModelError `unknown_stop_reason`, not retryable. */
export function stopReasonIn(reasons: Readonly<Record<string, StopReason>>, raw: string): StopReason {
  const reason = Object.hasOwn(reasons, raw) ? reasons[raw] : undefined;
  if (reason !== undefined) return reason;
  // Asking again would cost the same and most likely end the same.
  throw new ModelError('unknown_stop_reason', `The model stopped for an unknown reason: ${raw}.`, { retryable: false });
}

/** Whether a JSON value is an object, and neither list nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A number of tokens; undefined where the value is none. */
export function tokenCount(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A number of tokens inside a breakdown; undefined where there is no breakdown, or no such number in it. */
export function tokenCountIn(details: JsonValue | undefined, field: string): number | undefined {
  return isObject(details) ? tokenCount(details[field]) : undefined;
}

/** The text, or undefined for an empty one and for anything else. */
export function nonEmptyText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
