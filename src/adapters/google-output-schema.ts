import type { JsonObject, JsonValue } from '../protocol/messages.ts';
import { isObject } from './answer-faults.ts';
import { hasLoop, mapSchema, partsOf, schemasIn, targetOf, telling, withDefs } from './schema-tree.ts';

/** Words that the service takes, by the documents of `responseJsonSchema`: https://ai.google.dev/api/generate-content */
const WORDS: readonly string[] = [
  ...['type', 'title', 'description', 'properties', 'required', 'additionalProperties', 'propertyOrdering'],
  ...['items', 'prefixItems', 'minItems', 'maxItems', 'minimum', 'maximum', 'anyOf', 'oneOf', '$defs'],
];
const FORMATS = ['date-time', 'date', 'time'];

/**
 * The schema of an answer as the service takes it: it refuses references with words beside them and ignores words that
 * it does not know, which are told in the description. Undefined for references that lead elsewhere than to a definition,
 * and for loops that no optional property opens.
 */
export function toGeminiSchema(given: JsonObject): JsonObject | undefined {
  const root = withDefs(given);
  const isSayable = (node: JsonValue) => !isObject(node) || node['$ref'] === undefined || isTarget(root, node['$ref']);
  if (!schemasIn(root).every(isSayable) || hasLoop(root, requiredParts)) return undefined;
  return mapSchema(root, inWords);
}

function isTarget(root: JsonObject, ref: JsonValue): boolean {
  return targetOf(root, ref) !== undefined;
}

function requiredParts(node: JsonObject): readonly JsonValue[] {
  const { properties, required } = node;
  if (!isObject(properties)) return partsOf(node);
  const names = Array.isArray(required) ? required : [];
  const needed = Object.entries(properties).filter(([name]) => names.includes(name));
  return partsOf({ ...node, properties: Object.fromEntries(needed) });
}

function inWords({ $ref, ...node }: JsonObject): JsonObject {
  if ($ref !== undefined) return { $ref, ...(node['$defs'] !== undefined && { $defs: node['$defs'] }) };
  const words = Object.entries(node).map(([word, value]) => renamed(word, value, node));
  const kept = words.filter(([word, value]) => takes(word, value));
  const dropped = words.filter(([word, value]) => !takes(word, value));
  return telling(Object.fromEntries(kept), Object.fromEntries(dropped));
}

/** `oneOf` is read as `anyOf`. A `const` would be ignored, and often it is what tells the members of a union apart. */
function renamed(word: string, value: JsonValue, node: JsonObject): [string, JsonValue] {
  if (word === 'const' && node['enum'] === undefined && isListable(value)) return ['enum', [value]];
  return word === 'oneOf' && node['anyOf'] === undefined ? ['anyOf', value] : [word, value];
}

function takes(word: string, value: JsonValue): boolean {
  if (word === 'enum') return Array.isArray(value) && value.every(isListable);
  if (word === 'format') return FORMATS.includes(String(value));
  if (word === 'items') return isObject(value);
  if (word === 'minimum' || word === 'maximum') return Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER;
  return WORDS.includes(word);
}

function isListable(value: JsonValue): boolean {
  return typeof value === 'string' || typeof value === 'number';
}
