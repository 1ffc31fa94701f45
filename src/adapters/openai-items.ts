// The output items of the Responses API, put together from their pieces, and in neutral form.

import type { AssistantBlock, JsonObject, JsonValue } from '../protocol/messages.ts';
import { badResponse, isObject, nonEmptyText } from './answer-faults.ts';
import { inputOfText } from './call-input.ts';

/** The name under which blocks keep what only this provider understands. */
export const OPENAI = 'openai';

/** One output item while it is written. Pieces are joined once, when the item is read. */
export class ItemInProgress {
  #item: JsonObject;
  readonly #arguments: string[] = [];
  readonly #parts = new Map<number, { readonly type: 'output_text' | 'refusal'; readonly pieces: string[] }>();

  constructor(item: JsonObject) {
    this.#item = item;
  }

  addText(part: number, piece: string): void {
    this.#add(part, 'output_text', piece);
  }

  addRefusal(part: number, piece: string): void {
    this.#add(part, 'refusal', piece);
  }

  addArguments(piece: string): void {
    this.#arguments.push(piece);
  }

  /** The item as the service gives it at its end. */
  end(item: JsonObject): void {
    this.#item = item;
  }

  /** The whole item: what the service repeated, else what its pieces say. */
  whole(): JsonObject {
    const { type, content } = this.#item;
    if (type === 'function_call' && nonEmptyText(this.#item['arguments']) === undefined) {
      return { ...this.#item, arguments: this.#arguments.join('') };
    }
    const isBare = !Array.isArray(content) || content.length === 0;
    return type === 'message' && isBare ? { ...this.#item, content: this.#joinedParts() } : this.#item;
  }

  #add(part: number, type: 'output_text' | 'refusal', piece: string): void {
    const begun = this.#parts.get(part);
    if (begun !== undefined) begun.pieces.push(piece);
    else this.#parts.set(part, { type, pieces: [piece] });
  }

  #joinedParts(): JsonObject[] {
    const inOrder = [...this.#parts].sort(([a], [b]) => a - b);
    return inOrder.map(([, { type, pieces }]): JsonObject => {
      const text = pieces.join('');
      return type === 'refusal' ? { type, refusal: text } : { type, text, annotations: [] };
    });
  }
}

/** The item in neutral form: texts and calls as such, everything else opaque. Throws ModelError `bad_model_response`. */
export function itemToNeutral(item: JsonObject): AssistantBlock[] {
  switch (item['type']) {
    case 'message':
      return messageToNeutral(item);
    case 'function_call':
      return [callToNeutral(item)];
    default:
      return [{ type: 'opaque', provider: OPENAI, value: item }];
  }
}

/** What a message says in the place of an answer that it refuses; undefined where it does not refuse. */
export function refusalIn(item: JsonObject): string | undefined {
  const refusal = partsOf(item).find((part) => part['type'] === 'refusal');
  return refusal === undefined ? undefined : String(refusal['refusal']);
}

function messageToNeutral({ type: _, role: __, content, ...item }: JsonObject): AssistantBlock[] {
  return listOf(content).flatMap((part): AssistantBlock[] => {
    const { type, text, ...rest } = part;
    if (type !== 'output_text' || typeof text !== 'string') {
      const value = { type: 'message', role: 'assistant', ...item, content: [part] };
      return [{ type: 'opaque', provider: OPENAI, value }];
    }
    return text === '' ? [] : [{ type: 'text', text, meta: { [OPENAI]: { item, part: rest } } }];
  });
}

function callToNeutral({ type: _, call_id, name, arguments: written, ...item }: JsonObject): AssistantBlock {
  if (nonEmptyText(call_id) === undefined) throw badResponse('a call has no call_id');
  if (nonEmptyText(name) === undefined) throw badResponse('a call has no name');
  const text = typeof written === 'string' ? written : '';
  const read = inputOfText(text);
  const meta = { item, ...asWritten(text, read) };
  return { type: 'call', callId: String(call_id), name: String(name), ...read, meta: { [OPENAI]: meta } };
}

/** The arguments to the letter, where they are legal and our own JSON would differ: a changed letter costs the cache. */
export function asWritten(
  text: string,
  { input, malformed }: ReturnType<typeof inputOfText>,
): { arguments: string } | undefined {
  const isLegal = malformed === undefined && text.trimStart().startsWith('{');
  return isLegal && text !== JSON.stringify(input) ? { arguments: text } : undefined;
}

function partsOf(item: JsonObject): readonly JsonObject[] {
  return item['type'] === 'message' ? listOf(item['content']) : [];
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
