import type { Position } from '../protocol/activities.ts';
import { type AssistantBlock, callsOf, type Message } from '../protocol/messages.ts';

/** Longest id that is kept as the provider gave it. It becomes an activity id, which servers cap from 255 on. */
const MAX_KEPT_CHARS = 255;
/** Longest id that is made here: what the strictest wire takes. */
const MAX_MADE_CHARS = 64;

/** The ids of all calls in a context. */
export function callIdsOf(messages: readonly Message[]): Set<string> {
  return new Set(messages.flatMap((message) => (message.role === 'assistant' ? callsOf(message) : [])).map(idOf));
}

/**
 * The blocks with call ids that are distinct among themselves and from `taken`. The provider's id stays wherever it can;
 * another one is made from where the call stands, so that the same answer always gives the same ids.
 */
export function withDistinctIds(
  blocks: readonly AssistantBlock[],
  taken: ReadonlySet<string>,
  place: Position,
): AssistantBlock[] {
  const used = new Set(taken);
  let position = 0;
  return blocks.map((block) => {
    if (block.type !== 'call') return block;
    const callId = freeId(
      block.callId,
      used,
      `${place.iteration}_${position}`,
      `${place.turn}_${place.iteration}_${position}`,
    );
    position += 1;
    used.add(callId);
    return callId === block.callId ? block : { ...block, callId };
  });
}

/** The id as it is; else with the iteration and position, which repeat from turn to turn; else with the turn as well. */
function freeId(id: string, used: ReadonlySet<string>, short: string, long: string): string {
  if (id !== '' && id.length <= MAX_KEPT_CHARS && !used.has(id)) return id;
  const withShort = madeId(id, short);
  if (!used.has(withShort)) return withShort;
  // A provider that itself counts in this form would need more than one try.
  for (let count = 1; ; count += 1) {
    const made = madeId(id, count === 1 ? long : `${long}_${count}`);
    if (!used.has(made)) return made;
  }
}

function madeId(id: string, suffix: string): string {
  const stem = id.replace(/[^a-zA-Z0-9_-]/g, '_') || 'call';
  return `${stem.slice(0, MAX_MADE_CHARS - suffix.length - 1)}_${suffix}`;
}

function idOf({ callId }: { readonly callId: string }): string {
  return callId;
}
