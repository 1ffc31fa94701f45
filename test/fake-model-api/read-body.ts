import type { IncomingMessage } from 'node:http';

/** The real API's limit for the body of one request. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** A body that arrived: rule 12 wants valid JSON of well-formed Unicode; over the limit is 413. */
export type Received = { readonly text: string } & (
  | { readonly outcome: 'json'; readonly body: unknown }
  | { readonly outcome: 'invalid'; readonly complaint: string }
  | { readonly outcome: 'too_large' }
);

/** Reads a body to its end; what is over the limit is thrown away. `aborted` where the client left before the end. */
export async function readBody(request: IncomingMessage): Promise<Received | { readonly outcome: 'aborted' }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    }
  } catch (error) {
    if (request.complete) throw error;
    return { outcome: 'aborted' };
  }
  const all = Buffer.concat(chunks);
  if (bytes > MAX_BODY_BYTES) return { outcome: 'too_large', text: all.toString() };
  return parseBody(all);
}

/** Parses the bytes of a body, or says what is wrong with them. */
export function parseBody(bytes: Buffer): Received {
  const text = bytes.toString();
  try {
    const body: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (isWellFormed(text)) return { outcome: 'json', text, body };
    return { outcome: 'invalid', text, complaint: 'The request body is not valid JSON: no low surrogate in string' };
  } catch (error) {
    return { outcome: 'invalid', text, complaint: `The request body is not valid JSON: ${String(error)}` };
  }
}

// Escaped backslashes and whole pairs are taken first, so that what is left in group 1 is a surrogate without its partner.
const ESCAPES = /\\\\|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(\\u[dD][89a-fA-F][\da-fA-F]{2})/g;

/** True where a text has no surrogate without its partner, neither as a character nor as a JSON escape. */
export function isWellFormed(text: string): boolean {
  if (/\p{Surrogate}/u.test(text)) return false;
  for (const match of text.matchAll(ESCAPES)) {
    if (match[1] !== undefined) return false;
  }
  return true;
}
