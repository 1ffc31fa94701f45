import { isDeepStrictEqual } from 'node:util';
import { type Bounds, isMap, type Json } from './case-format.ts';

/** How much of a value a fault shows. */
const SHOWN_CHARS = 300;

/** A count in a case: a number is exact, an object has `min`, `max` or both. Throws on anything else. */
export function boundsOf(expected: Json): Bounds {
  if (typeof expected === 'number') return expected;
  if (isMap(expected) && Object.keys(expected).every((key) => key === 'min' || key === 'max'))
    return expected as Bounds;
  throw new Error(`not a number and no bounds: ${JSON.stringify(expected)}`);
}

/** A fault when the number is out of bounds. */
export function inBounds(what: string, bounds: Bounds, actual: number): readonly string[] {
  const { min, max } = typeof bounds === 'number' ? { min: bounds, max: bounds } : bounds;
  const fits = actual >= (min ?? Number.NEGATIVE_INFINITY) && actual <= (max ?? Number.POSITIVE_INFINITY);
  return fits ? [] : [`${what}: ${Math.round(actual)}, expected ${describeBounds(bounds)}`];
}

/** A fault when the number is too large or was never measured. */
export function atMost(what: string, max: Json, actual: number | undefined): readonly string[] {
  if (actual === undefined) return [`${what}: not measured`];
  return inBounds(what, { max: Number(max) }, actual);
}

/** A fault when the values differ as JSON. */
export function equal(what: string, expected: Json, actual: Json | undefined): readonly string[] {
  return isDeepStrictEqual(expected, actual) ? [] : [`${what}: ${show(actual)}, expected ${show(expected)}`];
}

/** A text on one line, cut. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}…` : line;
}

function describeBounds(bounds: Bounds): string {
  if (typeof bounds === 'number') return String(bounds);
  const parts = [
    bounds.min === undefined ? '' : `at least ${bounds.min}`,
    bounds.max === undefined ? '' : `at most ${bounds.max}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function show(value: Json | undefined): string {
  return oneLine(JSON.stringify(value) ?? 'nothing');
}
