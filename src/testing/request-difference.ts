import { canonicalJson } from '../activities/digest.ts';
import type { ModelRequest } from '../adapters/model-adapter.ts';
import { callsOf, type Message } from '../protocol/messages.ts';
import { REMOVED } from './redact.ts';
import { type RecordedRequest, shortForm } from './sequence.ts';

type Block = Message['content'][number];

/** Characters shown around the place where two blocks part: enough to see which sentence it is. */
const SHOWN_BEFORE = 40;
const SHOWN_AFTER = 120;

/**
 * How a request differs from the recorded one, in words; undefined where it does not. Of the results of the tools named
 * in `varying` only the call and whether it is an error are compared. What was a secret may be anything.
 */
export function requestDifference(
  recorded: RecordedRequest,
  request: ModelRequest,
  varying: ReadonlySet<string>,
): string | undefined {
  const asked = shortForm(request);
  if (asked.model !== recorded.model) return `the model is ${asked.model}; recorded was ${recorded.model}`;
  if (asked.messages !== recorded.messages) {
    return `it is shown ${count(asked.messages, 'message')}; recorded were ${recorded.messages}`;
  }
  if (!asked.last || !recorded.last) return undefined;
  if (asked.last.role !== recorded.last.role) {
    return `the last message is of the ${asked.last.role}; recorded was one of the ${recorded.last.role}`;
  }
  return blocksDifference(recorded.last.content, asked.last.content, { names: toolNames(request), varying });
}

interface Tools {
  /** By call id. */
  readonly names: ReadonlyMap<string, string>;
  readonly varying: ReadonlySet<string>;
}

function blocksDifference(recorded: readonly Block[], asked: readonly Block[], tools: Tools): string | undefined {
  for (const [index, block] of asked.entries()) {
    const other = recorded[index];
    const place = `block ${index + 1} of the last message (${nameOf(block, tools)})`;
    if (!other) return `${place} was not recorded: the last message had ${count(recorded.length, 'block')}`;
    const [was, is] = [other, block].map((one) => canonicalJson(compared(one, tools)));
    if (was === undefined || is === undefined || isSame(was, is)) continue;
    return `${place} is\n  ${around(is, was)}\nrecorded was\n  ${around(was, is)}`;
  }
  const missing = recorded[asked.length];
  return missing && `block ${asked.length + 1} of the last message (${nameOf(missing, tools)}) is missing`;
}

/** What is compared of a block. */
function compared(block: Block, { names, varying }: Tools): Block {
  if (block.type !== 'result' || !varying.has(names.get(block.callId) ?? '')) return block;
  return { ...block, content: [] };
}

function isSame(recorded: string, asked: string): boolean {
  if (!recorded.includes(REMOVED)) return recorded === asked;
  const parts = recorded.split(REMOVED).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(asked);
}

function nameOf(block: Block, { names }: Tools): string {
  if (block.type !== 'result') return block.type;
  return `result of ${names.get(block.callId) ?? 'an unknown tool'}, call ${block.callId}`;
}

function toolNames({ messages }: ModelRequest): ReadonlyMap<string, string> {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? callsOf(message) : []));
  return new Map(calls.map(({ callId, name }) => [callId, name]));
}

/** A text around the place where another one parts from it. */
function around(text: string, other: string): string {
  let same = 0;
  while (same < text.length && text[same] === other[same]) same++;
  const [from, to] = [Math.max(0, same - SHOWN_BEFORE), same + SHOWN_AFTER];
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
