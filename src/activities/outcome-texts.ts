// What the model is told of a call whose handler gave no result. "Not run" is said only where it cannot have started.

import { cutText } from '../protocol/json.ts';
import { MAX_ERROR_TEXT_BYTES } from '../protocol/limits.ts';

/** The gate said no to the first attempt. */
export function deniedText(name: string, reason: string): string {
  return text(`${name} was not run: denied (${reason}).`);
}

/** The gate said no to a later attempt, after one that may have had its effect. */
export function deniedLaterText(name: string, reason: string): string {
  return text(`${name} was denied (${reason}), but an earlier attempt may have happened. Check before repeating.`);
}

/** A `once` handler threw something that is no ToolError. */
export function onceFailedText(name: string, error: string): string {
  return text(`${name} failed, and its outcome is unknown. It may have happened: check before repeating. ${error}`);
}

/** The worker stopped while a `once` handler ran. */
export function onceStoppedText(name: string): string {
  return text(`${name} was interrupted, and its outcome is unknown. It may have happened: check before repeating.`);
}

/** The output limit ended the answer inside the call. */
export function cutCallText(name: string): string {
  return text(
    `${name} was not run: the output limit cut this call before its input was complete. Send it again, with less text.`,
  );
}

function text(value: string): string {
  return cutText(value, MAX_ERROR_TEXT_BYTES);
}
