// The content of one streamed answer, put together block by block. Work is linear in the number of pieces.

import type { AssistantBlock, CallBlock, JsonObject, JsonValue } from '../protocol/messages.ts';
import { ANTHROPIC } from './anthropic-request.ts';
import { inputOfText, inputOfValue } from './call-input.ts';

/** One content block while it is written. Pieces are joined once, when the block is read. */
export class BlockInProgress {
  readonly #start: JsonObject;
  readonly #texts = new Map<string, string[]>();
  readonly #lists = new Map<string, JsonValue[]>();
  readonly #replaced = new Map<string, JsonValue>();
  readonly #input: string[] = [];

  constructor(start: JsonObject) {
    this.#start = start;
  }

  get start(): JsonObject {
    return this.#start;
  }

  /** Takes one delta. Of a type unknown here, texts are appended to the fields of their names and lists extended. */
  add(delta: JsonObject): void {
    if (delta['type'] === 'input_json_delta') {
      this.#input.push(String(delta['partial_json'] ?? ''));
      return;
    }
    if (delta['type'] === 'citations_delta') {
      this.#extend('citations', [delta['citation'] ?? null]);
      return;
    }
    for (const [field, value] of Object.entries(delta)) {
      if (field !== 'type') this.#addField(field, value, delta['type'] === 'signature_delta');
    }
  }

  /** The block in the service's own form, with a call's input as the model sent it. */
  toWire(): JsonObject {
    return { ...this.#joined(), ...this.#parsedInput() };
  }

  /** The block in neutral form; undefined for an empty text. */
  toNeutral(): AssistantBlock | undefined {
    switch (this.#start['type']) {
      case 'text':
        return neutralText(this.#joined());
      case 'tool_use':
        return neutralCall(this.#joined(), this.#input.join(''));
      default:
        return { type: 'opaque', provider: ANTHROPIC, value: this.toWire() };
    }
  }

  #addField(field: string, value: JsonValue, replaces: boolean): void {
    if (typeof value === 'string' && !replaces) this.#append(field, value);
    else if (Array.isArray(value)) this.#extend(field, value);
    else this.#replaced.set(field, value);
  }

  #append(field: string, piece: string): void {
    const pieces = this.#texts.get(field);
    if (pieces !== undefined) pieces.push(piece);
    else this.#texts.set(field, [textOr(this.#start[field], ''), piece]);
  }

  #extend(field: string, items: readonly JsonValue[]): void {
    const list = this.#lists.get(field);
    if (list !== undefined) list.push(...items);
    else this.#lists.set(field, [...listOr(this.#start[field]), ...items]);
  }

  #joined(): JsonObject {
    const texts = [...this.#texts].map(([field, pieces]) => [field, pieces.join('')] as const);
    return { ...this.#start, ...Object.fromEntries([...texts, ...this.#lists, ...this.#replaced]) };
  }

  #parsedInput(): JsonObject | undefined {
    const text = this.#input.join('');
    return text === '' ? undefined : { input: inputOfText(text).input };
  }
}

function neutralText(block: JsonObject): AssistantBlock | undefined {
  const { type: _, text, ...rest } = block;
  if (typeof text !== 'string' || text === '') return undefined;
  return { type: 'text', text, ...metaOf(rest) };
}

function neutralCall(block: JsonObject, streamed: string): CallBlock {
  const { type: _, id, name, input, ...rest } = block;
  const read = streamed.trim() === '' ? inputOfValue(input ?? null) : inputOfText(streamed);
  return { type: 'call', callId: String(id), name: String(name), ...read, ...metaOf(rest) };
}

function metaOf(rest: JsonObject): { meta: { [ANTHROPIC]: JsonObject } } | undefined {
  return Object.keys(rest).length === 0 ? undefined : { meta: { [ANTHROPIC]: rest } };
}

function textOr(value: JsonValue | undefined, other: string): string {
  return typeof value === 'string' ? value : other;
}

function listOr(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
