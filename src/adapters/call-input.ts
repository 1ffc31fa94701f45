// What a model sent as the input of a call, of which only a JSON object may reach a tool.

import { cutText } from '../protocol/json.ts';
import type { CallBlock, JsonValue } from '../protocol/messages.ts';

/** What a model sent in place of a JSON object, as the model is shown it again. */
const MAX_MALFORMED_BYTES = 1_024;

/** The part of a call that says what its tool shall get. */
export type CallInput = Pick<CallBlock, 'input' | 'malformed'>;

/** The input in a JSON text. Nothing counts as no arguments; what is no JSON object is kept as `malformed`. */
export function inputOfText(text: string): CallInput {
  if (text.trim() === '') return { input: {} };
  try {
    return inputOfValue(JSON.parse(text));
  } catch {
    return { input: {}, malformed: cutText(text, MAX_MALFORMED_BYTES) }; // not JSON: the model is shown what it wrote
  }
}

/** The input in a JSON value. Null and `''` count as no arguments; any other value that is no object is `malformed`. */
export function inputOfValue(value: JsonValue): CallInput {
  if (value === null || value === '') return { input: {} };
  if (typeof value === 'object' && !Array.isArray(value)) return { input: value as CallBlock['input'] };
  return { input: {}, malformed: cutText(JSON.stringify(value), MAX_MALFORMED_BYTES) };
}
