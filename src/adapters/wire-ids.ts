import { createHash } from 'node:crypto';
import type { Message } from '../protocol/messages.ts';

const LEGAL = /^[a-zA-Z0-9_-]+$/;

/** Enough of a hash to tell all ids of a conversation apart. */
const HASH_CHARS = 16;

/**
 * Ids of calls in the form `^[a-zA-Z0-9_-]+$`, of at most `maxChars`: a legal id is left alone, any other gets a name such that different ids stay different and the same id always
 * gets the same name.
 */
export function wireIds(messages: readonly Message[], maxChars = Number.POSITIVE_INFINITY): (callId: string) => string {
  const callIds = new Set(messages.flatMap(idsIn));
  const foreign = [...callIds].filter((callId) => !LEGAL.test(callId) || callId.length > maxChars);
  const names = new Map<string, string>();
  const taken = new Set(callIds);
  for (const callId of foreign) {
    let name = shorten(spell(callId), maxChars);
    for (let n = 2; taken.has(name); n++) name = shorten(`${spell(callId)}_${n}`, maxChars);
    taken.add(name);
    names.set(callId, name);
  }
  return (callId) => names.get(callId) ?? callId;
}

function idsIn(message: Message): string[] {
  const blocks: readonly Message['content'][number][] = message.content;
  return blocks.flatMap((block) => (block.type === 'call' || block.type === 'result' ? [block.callId] : []));
}

/** Each illegal character as `_` and its code: `a.b` → `a_2eb`. */
function spell(callId: string): string {
  return callId.replace(/[^a-zA-Z0-9-]/gu, (character) => `_${character.codePointAt(0)?.toString(16)}`) || 'call';
}

/** A long id as its beginning and the hash of the whole. */
function shorten(name: string, maxChars: number): string {
  if (name.length <= maxChars) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARS);
  return `${name.slice(0, maxChars - HASH_CHARS - 1)}_${hash}`;
}
