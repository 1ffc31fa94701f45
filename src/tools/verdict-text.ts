import { cutText } from '../protocol/json.ts';
import { MAX_ERROR_TEXT_BYTES } from '../protocol/limits.ts';
import { wellFormed } from './well-formed.ts';

/** Names that the answer to an unknown tool lists. */
const MAX_LISTED_NAMES = 64;
/** A name or an input as such a text quotes it. */
const MAX_QUOTED_BYTES = 200;

/** Tells the model that it made a name up, and which names are real. */
export function unknownToolText(name: string, realNames: readonly string[]): string {
  const does = `The tool ${quoted(name)} does not exist.`;
  if (realNames.length === 0) return `${does} There are no tools; answer without one.`;
  const listed = realNames.slice(0, MAX_LISTED_NAMES).join(', ');
  const more = realNames.length > MAX_LISTED_NAMES ? ` and ${realNames.length - MAX_LISTED_NAMES} more` : '';
  return cutText(`${does} The tools are: ${listed}${more}.`, MAX_ERROR_TEXT_BYTES);
}

/** Tells the model that its input is no JSON object. The handler was not run. */
export function malformedText(name: string, malformed: string): string {
  const fault = isJson(malformed) ? 'must be a JSON object' : 'is invalid JSON';
  return `The input of ${quoted(name)} ${fault}, so the tool was not run. What came: ${quoted(malformed)}`;
}

/** Tells the model which fields of its input are wrong. The handler was not run. */
export function invalidInputText(name: string, message: string): string {
  return cutText(`Invalid input for ${quoted(name)}, so the tool was not run. ${message}`, MAX_ERROR_TEXT_BYTES);
}

function quoted(text: string): string {
  return JSON.stringify(cutText(wellFormed(text), MAX_QUOTED_BYTES));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
