// JSON Schemas as trees, for putting them in the words of one service: what is in them, and where references lead.

import type { JsonObject, JsonValue } from '../protocol/messages.ts';
import { isObject } from './answer-faults.ts';

/** Words that hold schemas by name, in a list, and as the word's own value. */
const NAMED: readonly string[] = ['properties', '$defs'];
const LISTED: readonly string[] = ['anyOf', 'oneOf', 'prefixItems'];
const SINGLE: readonly string[] = ['items', 'additionalProperties'];

/** The schema, each schema in it replaced, the innermost first. What is no object, such as `true`, stays. */
export function mapSchema(schema: JsonObject, change: (node: JsonObject) => JsonObject): JsonObject {
  const map = (value: JsonValue) => (isObject(value) ? mapSchema(value, change) : value);
  const mapAll = (values: JsonObject) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
  const entries = Object.entries(schema).map(([word, value]): [string, JsonValue] => {
    if (NAMED.includes(word) && isObject(value)) return [word, mapAll(value)];
    if (LISTED.includes(word) && Array.isArray(value)) return [word, value.map(map)];
    return [word, SINGLE.includes(word) ? map(value) : value];
  });
  return change(Object.fromEntries(entries));
}

/** The schemas that a value of this one has its parts by, without what references lead to. */
export function partsOf(node: JsonObject): readonly JsonValue[] {
  return Object.entries(node).flatMap(([word, value]) => {
    if (word === 'properties' && isObject(value)) return Object.values(value);
    if (LISTED.includes(word) && Array.isArray(value)) return value;
    return SINGLE.includes(word) && typeof value === 'object' ? [value] : [];
  });
}

/** All schemas of a whole one, its definitions included. Anything else that stands in the place of a schema is there too. */
export function schemasIn(root: JsonObject): readonly JsonValue[] {
  const within = (value: JsonValue): JsonValue[] => [value, ...(isObject(value) ? partsOf(value).flatMap(within) : [])];
  return [root, ...Object.values(definitionsOf(root))].flatMap(within);
}

/** What a reference leads to: the root, or one of its definitions; undefined for anything else. */
export function targetOf(root: JsonObject, ref: JsonValue | undefined): JsonValue | undefined {
  if (ref === '#') return root;
  const name = /^#\/\$defs\/([^/]+)$/.exec(String(ref))?.[1]?.replaceAll('~1', '/').replaceAll('~0', '~');
  return name !== undefined && Object.hasOwn(definitionsOf(root), name) ? definitionsOf(root)[name] : undefined;
}

/** Whether a schema leads back to itself, by these ways and references. */
export function hasLoop(root: JsonObject, waysOn: (node: JsonObject) => readonly JsonValue[] = partsOf): boolean {
  const open = new Set<JsonObject>();
  const done = new Set<JsonObject>();
  const visit = (node: JsonValue | undefined): boolean => {
    if (!isObject(node) || done.has(node)) return false;
    if (open.has(node)) return true;
    open.add(node);
    const isLoop = [...waysOn(node), targetOf(root, node['$ref'])].some(visit);
    open.delete(node);
    done.add(node);
    return isLoop;
  };
  return [root, ...Object.values(definitionsOf(root))].some(visit);
}

/** The schema with the definitions of older drafts in the place where services look for them. */
export function withDefs(schema: JsonObject): JsonObject {
  const { definitions, ...rest } = schema;
  if (!isObject(definitions)) return schema;
  const $defs = { ...definitions, ...definitionsOf(schema) };
  return mapSchema({ ...rest, $defs }, (node) => {
    const { $ref } = node;
    return typeof $ref === 'string' ? { ...node, $ref: $ref.replace(/^#\/definitions\//, '#/$defs/') } : node;
  });
}

/** Adds the words that a service does not take to the description, where the model reads them all the same. */
export function telling(kept: JsonObject, dropped: JsonObject): JsonObject {
  const words = Object.entries(dropped).filter(([word, value]) => !isIdle(word, value, kept));
  if (words.length === 0) return kept;
  const told = `As JSON Schema: ${JSON.stringify(Object.fromEntries(words))}`;
  const { description } = kept;
  return { ...kept, description: typeof description === 'string' ? `${description}\n\n${told}` : told };
}

/** Words that would only cost tokens: names, a pattern that repeats a format, the bounds of whole numbers in JavaScript. */
function isIdle(word: string, value: JsonValue, kept: JsonObject): boolean {
  if (word.startsWith('$')) return true;
  if (word === 'pattern') return kept['format'] !== undefined;
  return ['minimum', 'maximum'].includes(word) && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}

function definitionsOf(root: JsonObject): JsonObject {
  return isObject(root['$defs']) ? root['$defs'] : {};
}
