// What servers add to a chat message beside the standard: reasoning above all. They want it back as it was.

import type { JsonObject, JsonValue } from '../protocol/messages.ts';
import { isObject } from './answer-faults.ts';

/** The fields of an answer that no request takes. */
const ANSWER_ONLY: ReadonlySet<string> = new Set(['annotations', 'audio']);

/** The additional fields of a message while they arrive: texts are joined, lists extended, other values replaced. */
export class ExtraFields {
  readonly #texts = new Map<string, string[]>();
  readonly #lists = new Map<string, ListInProgress>();
  readonly #others = new Map<string, JsonValue>();

  add(fields: JsonObject): void {
    for (const [field, value] of Object.entries(fields)) {
      if (value === null || value === '' || ANSWER_ONLY.has(field)) continue;
      if (typeof value === 'string') append(this.#texts, field, value);
      else if (Array.isArray(value)) this.#listOf(field).add(value);
      else this.#others.set(field, value);
    }
  }

  /** Undefined where there were none. */
  whole(): JsonObject | undefined {
    const texts = [...this.#texts].map(([field, pieces]) => [field, pieces.join('')] as const);
    const lists = [...this.#lists].map(([field, list]) => [field, list.whole()] as const);
    const fields = [...texts, ...lists, ...this.#others];
    return fields.length > 0 ? Object.fromEntries(fields) : undefined;
  }

  #listOf(field: string): ListInProgress {
    const begun = this.#lists.get(field);
    if (begun !== undefined) return begun;
    const list = new ListInProgress();
    this.#lists.set(field, list);
    return list;
  }
}

/** Texts of list items that come in pieces; any other text of an item, such as its type, is repeated in each piece. */
const PIECED: ReadonlySet<string> = new Set(['text', 'summary', 'data']);

/** A list whose items may come in pieces: those with one index and one type are one item. */
class ListInProgress {
  readonly #items: { readonly fields: Map<string, JsonValue>; readonly texts: Map<string, string[]> }[] = [];
  readonly #others: JsonValue[] = [];
  readonly #byKey = new Map<string, number>();

  add(items: readonly JsonValue[]): void {
    for (const item of items) {
      if (isObject(item)) this.#addItem(item);
      else this.#others.push(item);
    }
  }

  whole(): JsonValue[] {
    const items = this.#items.map(({ fields, texts }) => {
      const joined = [...texts].map(([field, pieces]) => [field, pieces.join('')] as const);
      return Object.fromEntries([...fields, ...joined]);
    });
    return [...items, ...this.#others];
  }

  #addItem(item: JsonObject): void {
    const { fields, texts } = this.#itemOf(item);
    for (const [field, value] of Object.entries(item)) {
      if (typeof value === 'string' && PIECED.has(field)) append(texts, field, value);
      else if (value !== null || !fields.has(field)) fields.set(field, value);
    }
  }

  #itemOf(item: JsonObject) {
    const key = typeof item['index'] === 'number' ? `${item['index']} ${item['type']}` : undefined;
    const known = key === undefined ? undefined : this.#items[this.#byKey.get(key) ?? -1];
    if (known !== undefined) return known;
    if (key !== undefined) this.#byKey.set(key, this.#items.length);
    const begun = { fields: new Map<string, JsonValue>(), texts: new Map<string, string[]>() };
    this.#items.push(begun);
    return begun;
  }
}

function append(texts: Map<string, string[]>, field: string, piece: string): void {
  const pieces = texts.get(field);
  if (pieces !== undefined) pieces.push(piece);
  else texts.set(field, [piece]);
}
