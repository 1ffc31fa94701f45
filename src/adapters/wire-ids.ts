import type { Message } from '../protocol/messages.ts';

const LEGAL = /^[a-zA-Z0-9_-]+$/;

/**
 * Ids of calls in the form `^[a-zA-Z0-9_-]+$`: a legal id is left alone, another provider's is spelled out so that
 * different ids stay different and the same id always gets the same name.
 */
export function wireIds(messages: readonly Message[]): (callId: string) => string {
  const callIds = new Set(messages.flatMap(idsIn));
  const foreign = [...callIds].filter((callId) => !LEGAL.test(callId));
  const names = new Map<string, string>();
  const taken = new Set(callIds);
  for (const callId of foreign) {
    let name = spell(callId);
    while (taken.has(name)) name += '_';
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
