import { Buffer } from 'node:buffer';
import { errorLine } from './error-text.ts';
import { wellFormed } from './well-formed.ts';

/** Levels of nesting that are shown. No reader follows deeper, and the call stack stays small. */
const MAX_DEPTH = 64;
/** Text that is read of one value, about. Far above any cap, and a value of 100 MB costs no more than this. */
const MAX_CHARS = 4 * 1024 * 1024;
/** Binary data up to this size is shown as base64; more would only cost tokens. */
const MAX_INLINE_BINARY_BYTES = 1_024;

/** A value in JSON's own terms, ready for `JSON.stringify`. */
type Plain = string | number | boolean | null | Plain[] | { [key: string]: Plain };

/** {@link toPlain}'s answer. `complete` is false where the value was too big to be read to its end. */
export interface PlainValue {
  readonly plain: Plain;
  readonly complete: boolean;
}

/**
 * Any value as plain JSON: what `JSON.stringify` would show, and also BigInt (digits), binary data, Map, Set, Error (no stack),
 * circular references and unreadable members. Never throws; time and memory are bounded.
 */
export function toPlain(value: unknown): PlainValue {
  const walk: Walk = { chars: MAX_CHARS, ancestors: [] };
  const plain = visit(value, walk);
  return { plain, complete: walk.chars > 0 };
}

interface Walk {
  /** What may still be read; not positive once the value proved too big. */
  chars: number;
  readonly ancestors: object[];
}

function visit(value: unknown, walk: Walk): Plain {
  try {
    return typeof value === 'object' && value !== null ? visitObject(value, walk) : visitPrimitive(value, walk);
  } catch (error) {
    // A getter, a proxy or a `toJSON` of the value threw. The rest of the result is still worth reading.
    return note(`Unreadable: ${errorLine(error)}`, walk);
  }
}

function visitPrimitive(value: unknown, walk: Walk): Plain {
  if (typeof value === 'string') return text(value, walk);
  walk.chars -= 8;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return text(String(value), walk);
  if (value === null || value === undefined) return null;
  return note(typeof value === 'function' ? `Function ${value.name}`.trim() : String(value), walk);
}

function visitObject(value: object, walk: Walk): Plain {
  if (value instanceof Date) return text(Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString(), walk);
  if (value instanceof Error) return text(errorLine(value) || value.name, walk);
  if (value instanceof RegExp) return text(String(value), walk);
  if (value instanceof Promise) return note('Promise', walk);
  if (ArrayBuffer.isView(value)) return binary(value.buffer, value.byteOffset, value.byteLength, walk);
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) {
    return binary(value, 0, value.byteLength, walk);
  }
  if (value instanceof Number || value instanceof String || value instanceof Boolean) {
    return visit(value.valueOf(), walk);
  }
  if (walk.ancestors.includes(value)) return note('Circular', walk);
  if (walk.ancestors.length >= MAX_DEPTH) return note(`Deeper than ${MAX_DEPTH} levels`, walk);
  walk.ancestors.push(value);
  try {
    return visitMembers(value, walk);
  } finally {
    walk.ancestors.pop();
  }
}

function visitMembers(value: object, walk: Walk): Plain {
  if (Array.isArray(value)) return list(value, walk);
  if (value instanceof Set) return list(value, walk);
  if (value instanceof Map) return map(value, walk);
  const replaced = fromToJson(value);
  if (replaced !== undefined && replaced.value !== value) return visit(replaced.value, walk);
  return record(ownEntries(value), walk);
}

function* ownEntries(value: object): Generator<[string, unknown]> {
  for (const key of Object.keys(value)) yield [key, memberOf(value, key)];
}

/** What `toJSON` gives; undefined where there is none, or it throws and the members must do. */
function fromToJson(value: object): { value: unknown } | undefined {
  if (!('toJSON' in value) || typeof value.toJSON !== 'function') return undefined;
  try {
    return { value: value.toJSON() };
  } catch {
    return undefined;
  }
}

function memberOf(value: object, key: string): unknown {
  try {
    return (value as Readonly<Record<string, unknown>>)[key];
  } catch (error) {
    return `[Unreadable: ${errorLine(error)}]`;
  }
}

function list(values: Iterable<unknown>, walk: Walk): Plain[] {
  const out: Plain[] = [];
  for (const value of values) {
    if (walk.chars <= 0) break;
    walk.chars -= 2;
    out.push(visit(value, walk));
  }
  return out;
}

function map(value: ReadonlyMap<unknown, unknown>, walk: Walk): Plain {
  for (const key of value.keys()) if (typeof key !== 'string') return list(value, walk);
  return record(value as ReadonlyMap<string, unknown>, walk);
}

function record(entries: Iterable<readonly [string, unknown]>, walk: Walk): Plain {
  // Without a prototype, a member named `__proto__` is a member like any other.
  const out: Record<string, Plain> = Object.create(null);
  for (const [key, member] of entries) {
    if (walk.chars <= 0) break;
    if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue;
    out[text(key, walk)] = visit(member, walk);
  }
  return out;
}

function text(value: string, walk: Walk): string {
  const room = Math.max(0, walk.chars);
  walk.chars -= value.length + 4;
  return wellFormed(value.length <= room ? value : value.slice(0, room));
}

function note(words: string, walk: Walk): string {
  return text(`[${words}]`, walk);
}

function binary(buffer: ArrayBufferLike, offset: number, length: number, walk: Walk): string {
  if (length > MAX_INLINE_BINARY_BYTES) return note(`${length} bytes of binary data`, walk);
  return note(`${length} bytes, base64: ${Buffer.from(buffer, offset, length).toString('base64')}`, walk);
}
