import { createHash } from 'node:crypto';
import type { Message } from '../protocol/messages.ts';
import type { ContextHead } from '../protocol/snapshot.ts';

/** A value's JSON with all keys sorted, as it is after a trip through a payload: equal values give equal bytes. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isPlainObject(inner) ? sortedByKey(inner) : inner));
}

/** Digest of an empty context: SHA-256 (hex) of its head. */
export function headDigest(head: ContextHead): string {
  return sha256(canonicalJson(head));
}

/** SHA-256 (hex) of any JSON value; the order of keys does not count. */
export function hashOf(value: unknown): string {
  return sha256(canonicalJson(value));
}

/** Digest of a context with one more message: SHA-256 (hex) over the digest before it and the message. */
export function nextDigest(digest: string, message: Message): string {
  return sha256(`${digest}\n${canonicalJson(message)}`);
}

/** Digest of a context with several more messages. */
export function digestAfter(digest: string, messages: readonly Message[]): string {
  return messages.reduce(nextDigest, digest);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null-prototype, so that a key such as `__proto__` stays a key. */
function sortedByKey(value: Record<string, unknown>): Record<string, unknown> {
  const sorted: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value).sort()) sorted[key] = value[key];
  return sorted;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
