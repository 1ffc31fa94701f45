import type { JsonObject, JsonValue } from '../protocol/messages.ts';
import { isObject } from './answer-faults.ts';
import { mapSchema, schemasIn, targetOf, telling, withDefs } from './schema-tree.ts';

/** Whether a service takes a word beside those that give a value its shape. */
export type Takes = (word: string, value: JsonValue, node: JsonObject) => boolean;

/** Words that say what a value is made of. All others only narrow it, or speak about it. */
const SHAPES: readonly string[] = [
  ...['$ref', '$dynamicRef', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'],
  ...['properties', 'additionalProperties', 'patternProperties', 'unevaluatedProperties', 'items', 'prefixItems'],
];
const PLAIN_TYPES: readonly JsonValue[] = ['string', 'number', 'integer', 'boolean', 'null'];
/** Words that are kept by a rule of their own or stand for nothing in the place where they are left out. */
const SHAPING: readonly string[] = [...SHAPES, 'type', 'required', '$defs'];

/**
 * The schema for a service that holds an answer to closed objects: each with the properties that the schema names and no
 * others. Words that the service does not take are told in the description. What fits is then narrower than the schema by
 * the properties that it does not name, and wider by the words that are only told.
 * Undefined where nothing like that can say what the schema does: open maps, tuples, `allOf`, values of any type.
 */
export function toClosedSchema(given: JsonObject, takes: Takes): JsonObject | undefined {
  const root = withDefs(given);
  if (!schemasIn(root).every((node) => isObject(node) && canBeClosed(node, root))) return undefined;
  return mapSchema(root, (node) => closed(node, takes));
}

function canBeClosed(node: JsonObject, root: JsonObject): boolean {
  if (node !== root && (node['$defs'] !== undefined || node['$id'] !== undefined)) return false;
  const shapes = SHAPES.filter((word) => word in node);
  const isOnly = (...words: readonly string[]) => shapes.every((word) => words.includes(word));
  const { $ref, anyOf, oneOf, type } = node;
  if ($ref !== undefined) return node !== root && isOnly('$ref') && targetOf(root, $ref) !== undefined;
  if (anyOf !== undefined) return isOnly('anyOf') && isUnion(anyOf, type);
  if (oneOf !== undefined) return isOnly('oneOf') && isUnion(oneOf, type);
  if (isOnly('enum', 'const') && shapes.length > 0) return hasPlainValues(node);
  if (type === 'object') return isOnly('properties', 'additionalProperties') && isClosable(node);
  if (type === 'array') return isOnly('items') && shapes.length === 1;
  return shapes.length === 0 && isPlainType(type);
}

function isUnion(members: JsonValue, type: JsonValue | undefined): boolean {
  return Array.isArray(members) && members.length > 0 && type === undefined;
}

/** An object that names no property and is not closed is a map of anything. */
function isClosable({ properties = {}, additionalProperties, required = [] }: JsonObject): boolean {
  if (!isObject(properties) || !Array.isArray(required)) return false;
  const isMap = Object.keys(properties).length === 0 && additionalProperties !== false;
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  return !isMap && !isOpen && required.every((name) => Object.hasOwn(properties, String(name)));
}

function isPlainType(type: JsonValue | undefined): boolean {
  const types = Array.isArray(type) ? type : [type];
  return types.length > 0 && types.every((each) => PLAIN_TYPES.includes(each ?? ''));
}

function hasPlainValues({ enum: list = [null], const: single = null }: JsonObject): boolean {
  const values = Array.isArray(list) ? list : [];
  return values.length > 0 && [...values, single].every((value) => typeof value !== 'object' || value === null);
}

/** One schema in the service's words. Its parts are so already. */
function closed(node: JsonObject, takes: Takes): JsonObject {
  const { $ref, $defs } = node;
  const defs = $defs === undefined ? undefined : { $defs };
  if ($ref !== undefined) return { $ref };
  const beside = Object.entries(node).filter(([word]) => !SHAPING.includes(word));
  const kept = beside.filter(([word, value]) => takes(word, value, node));
  const dropped = beside.filter(([word, value]) => !takes(word, value, node));
  return { ...telling({ ...shapeOf(node, takes), ...Object.fromEntries(kept) }, Object.fromEntries(dropped)), ...defs };
}

function shapeOf(node: JsonObject, takes: Takes): JsonObject {
  const { type, anyOf, oneOf, properties = {}, required, items } = node;
  const union = anyOf ?? oneOf;
  if (union !== undefined) return { anyOf: union };
  if ('enum' in node || 'const' in node) {
    const words = ['type', 'enum', 'const'].filter(
      (word) => word in node && (word !== 'type' || takes(word, '', node)),
    );
    return Object.fromEntries(words.map((word) => [word, node[word] ?? null]));
  }
  if (type === 'object') return { type, properties, ...(required && { required }), additionalProperties: false };
  return { ...(type !== undefined && { type }), ...(items !== undefined && { items }) };
}
