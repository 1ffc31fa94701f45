import { isDeepStrictEqual } from 'node:util';
import { breaksGeminiSubset } from './gemini-subset.ts';
import { isWellFormed } from './read-body.ts';
import { pairComplaint } from './strict-rules.ts';
import { blocksOf, isObject, type WireMessage } from './wire.ts';

/** True where the op holds. `undefined` is an absent value. */
type Op = (actual: unknown, expected: unknown) => boolean;

const MAX_SHOWN_CHARS = 500;

const OPS: Readonly<Record<string, Op>> = {
  equals: isEqual,
  deep_equals: isEqual,
  deep_equals_response: isEqual,
  equals_path: isEqual,
  deep_equals_ignoring_absent: (actual, expected) => isList(actual) && isEqual(present(actual), expected),
  contains: (actual, expected) => textOf(actual).includes(String(expected)),
  not_contains: (actual, expected) => !textOf(actual).includes(String(expected)),
  matches: (actual, expected) => patternOf(expected).test(textOf(actual)),
  not_matches: (actual, expected) => !patternOf(expected).test(textOf(actual)),
  length: (actual, expected) => lengthOf(actual) === expected,
  min_length: (actual, expected) => lengthOf(actual) >= Number(expected),
  max_length: (actual, expected) => lengthOf(actual) <= Number(expected),
  max: isAtMost,
  one_of: (actual, expected) => isOneOf(actual, expected),
  absent: (actual) => actual === undefined,
  all_unique: (actual) => isList(actual) && new Set(actual.map((item) => JSON.stringify(item))).size === actual.length,
  is_type: (actual, expected) => typeOf(actual) === expected,
  is_json_object: (actual) => typeof actual === 'string' && isObject(parsed(actual)),
  valid: (actual) => isList(actual) && pairComplaint(actual as readonly WireMessage[]) === undefined,
  well_formed: (actual) => actual !== undefined && isWellFormed(textOf(actual)),
  not_contains_type: (actual, expected) => blocksOf(actual).every((block) => block.type !== expected),
  contains_wire_name: (actual, expected) => hasName(actual, expected),
  not_contains_wire_name: (actual, expected) => !hasName(actual, expected),
  absent_or_gemini_subset: (actual) => actual === undefined || !breaksGeminiSubset(actual),
  each_equals: each(isEqual),
  each_in: each(isOneOf),
  each_matches: each((item, expected) => typeof item === 'string' && patternOf(expected).test(item)),
  each_max: each(isAtMost),
  each_min_length: each((item, expected) => lengthOf(item) >= Number(expected)),
  each_max_length: each((item, expected) => lengthOf(item) <= Number(expected)),
};

/** Why an op does not hold, or undefined where it holds. Throws on an op that does not exist. */
export function opFailure(op: string, actual: unknown, expected: unknown): string | undefined {
  const holds = OPS[op];
  if (!holds) throw new Error(`unknown op ${op}`);
  if (holds(actual, expected)) return undefined;
  const detail = op === 'valid' && isList(actual) ? pairComplaint(actual as readonly WireMessage[]) : shown(actual);
  return `${op} ${shown(expected)}: is ${detail}`;
}

// Cache marks are no content: a mark on a block does not make it another block, so that values without marks ignore them.
function isEqual(actual: unknown, expected: unknown): boolean {
  const marked = JSON.stringify(expected)?.includes('"cache_control"') ?? false;
  return isDeepStrictEqual(marked ? plain(actual) : withoutMarks(plain(actual)), plain(expected));
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => key !== 'cache_control');
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutMarks(item)]));
}

function each(holds: Op): Op {
  return (actual, expected) => isList(actual) && actual.every((item) => holds(item, expected));
}

function isAtMost(actual: unknown, expected: unknown): boolean {
  return typeof actual === 'number' && actual <= Number(expected);
}

// JSON has no word for an absent value: null stands for it.
function isOneOf(actual: unknown, expected: unknown): boolean {
  return isList(expected) && expected.some((item) => isEqual(actual ?? null, item));
}

function hasName(actual: unknown, expected: unknown): boolean {
  return isList(actual) ? actual.includes(expected) : textOf(actual).includes(String(expected));
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function present(list: readonly unknown[]): readonly unknown[] {
  return list.filter((item) => item !== undefined);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

// NaN compares false with everything, so that a value without a length fails each op on lengths.
function lengthOf(value: unknown): number {
  return typeof value === 'string' || isList(value) ? value.length : Number.NaN;
}

function patternOf(expected: unknown): RegExp {
  const source = String(expected);
  return source.startsWith('(?i)') ? new RegExp(source.slice('(?i)'.length), 'i') : new RegExp(source);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}… (${text.length} characters)` : text;
}
