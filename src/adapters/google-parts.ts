// The parts of a Gemini answer, put together from their pieces, and in neutral form.

import type { AssistantBlock, BlockMeta, JsonObject } from '../protocol/messages.ts';
import { badResponse, isObject, nonEmptyText } from './answer-faults.ts';
import { inputOfValue } from './call-input.ts';
import type { ModelEvent } from './model-adapter.ts';

/** The name under which blocks keep what only this provider understands. */
export const GOOGLE = 'google';

/** A part: as it came, or a text whose pieces are joined once, when the parts are read. */
interface Part {
  readonly part: JsonObject;
  readonly pieces: string[] | undefined;
}

/** The parts while they arrive, in order. */
export class PartsInProgress {
  readonly #parts: Part[] = [];

  /** Takes one part and gives what it says. Throws ModelError `bad_model_response` for a call without a name. */
  add(part: JsonObject): readonly ModelEvent[] {
    const { text } = part;
    if (typeof text === 'string') {
      this.#addText(part, text);
      return text === '' ? [] : [{ type: part['thought'] === true ? 'reasoning_delta' : 'text_delta', text }];
    }
    this.#parts.push({ part, pieces: undefined });
    const call = part['functionCall'];
    return isObject(call) ? [{ type: 'tool_call', name: nameOf(call) }] : [];
  }

  /** The parts in neutral form. Calls without an id get one from their position. */
  toNeutral(): AssistantBlock[] {
    let calls = 0;
    return this.#parts.flatMap(({ part, pieces }): AssistantBlock[] => {
      if (pieces !== undefined) return textToNeutral({ ...part, text: pieces.join('') });
      const { functionCall: call, ...rest } = part;
      return [isObject(call) ? callToNeutral(call, rest, calls++) : opaque(part)];
    });
  }

  /** Pieces of one text are joined; a part with a signature, or anything else beside its text, stays for itself. */
  #addText(part: JsonObject, text: string): void {
    const last = this.#parts.at(-1);
    const joins = last?.pieces !== undefined && isPlain(part) && isPlain(last.part) && isSameKind(part, last.part);
    if (joins) last?.pieces?.push(text);
    else if (text !== '' || !isPlain(part)) this.#parts.push({ part, pieces: [text] });
  }
}

/** A thought, or a text that has nothing to say, is of use to its own provider only. */
function textToNeutral(part: JsonObject): AssistantBlock[] {
  const { text, ...rest } = part;
  if (typeof text !== 'string' || text === '' || part['thought'] === true) return [opaque(part)];
  return [{ type: 'text', text, ...metaOf({ part: rest }) }];
}

function callToNeutral({ name, args, ...call }: JsonObject, part: JsonObject, position: number): AssistantBlock {
  const callId = nonEmptyText(call['id']) ?? `call_${position}`;
  return { type: 'call', callId, name: String(name), ...inputOfValue(args ?? null), ...metaOf({ call, part }) };
}

/** What a text or a call needs back beside what its neutral form says. */
function metaOf(rest: Readonly<Record<string, JsonObject>>): { meta: BlockMeta } | undefined {
  const filled = Object.entries(rest).filter(([, fields]) => Object.keys(fields).length > 0);
  return filled.length > 0 ? { meta: { [GOOGLE]: Object.fromEntries(filled) } } : undefined;
}

function opaque(value: JsonObject): AssistantBlock {
  return { type: 'opaque', provider: GOOGLE, value };
}

function nameOf(call: JsonObject): string {
  const name = nonEmptyText(call['name']);
  if (name === undefined) throw badResponse('a call has no name');
  return name;
}

function isPlain(part: JsonObject): boolean {
  return Object.keys(part).every((field) => field === 'text' || field === 'thought');
}

function isSameKind(one: JsonObject, other: JsonObject): boolean {
  return (one['thought'] === true) === (other['thought'] === true);
}
