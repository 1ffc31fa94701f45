import { firstComplaint, isObject, type Json, LEGAL_NAME } from './wire-fake.ts';

const NOTES = ['title', 'description'];
const WORDS: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'minItems', 'maxItems'],
  string: ['format', 'pattern'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  boolean: [],
  null: [],
};
const FORMATS = 'date-time time date duration email hostname ipv4 ipv6 uuid'.split(' ');
const MAX_LEVELS = 10;
const MAX_VALUES = 1_000;

/**
 * What is wrong with the schema of an answer. Any schema of an object is taken where it is not strict; a strict one is in
 * a part of JSON Schema: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function outputSchemaComplaint(format: unknown): string | undefined {
  if (!isObject(format)) return 'json_schema: missing';
  const { name, schema, strict } = format;
  if (!LEGAL_NAME.test(String(name))) return `bad name ${JSON.stringify(name)}`;
  if (!isObject(schema) || schema['type'] !== 'object') return 'Invalid schema for response_format: no object';
  if (strict !== true) return undefined;
  if (schema['anyOf'] !== undefined) return 'Invalid schema for response_format: anyOf at the root';
  const nodes = nodesOf(schema, schema);
  const complaint = firstComplaint(nodes, (node) => nodeComplaint(node, schema)) ?? sizeComplaint(nodes, schema);
  return complaint && `Invalid schema for response_format: ${complaint}`;
}

function nodesOf(node: unknown, root: Json): readonly unknown[] {
  if (!isObject(node)) return [node];
  const { properties, items, anyOf, $defs } = node;
  const inner = [
    ...valuesOf(properties),
    ...valuesOf($defs),
    ...listOf(anyOf),
    ...(items === undefined ? [] : [items]),
  ];
  return [node, ...inner.flatMap((child) => nodesOf(child, root))];
}

function nodeComplaint(node: unknown, root: Json): string | undefined {
  if (!isObject(node)) return 'a schema is no object';
  if (node['$ref'] !== undefined) return refComplaint(node, root);
  if (node['anyOf'] !== undefined) return unionComplaint(node);
  const { type, properties = {}, required = [], additionalProperties, format } = node;
  const types = Array.isArray(type) ? type.map(String) : [String(type)];
  const unknown = types.find((name) => !Object.hasOwn(WORDS, name));
  if (unknown !== undefined) return `schema must have a 'type' key (${unknown})`;
  const words = [...NOTES, 'type', 'enum', 'const', '$defs', ...types.flatMap((name) => WORDS[name] ?? [])];
  const word = Object.keys(node).find((key) => !words.includes(key));
  if (word !== undefined) return `'${word}' is not permitted`;
  if (format !== undefined && !FORMATS.includes(String(format))) return `'${String(format)}' is not a valid format`;
  if (types.includes('array') && !isObject(node['items'])) return 'array schema missing items';
  if (!types.includes('object')) return undefined;
  if (additionalProperties !== false) return "'additionalProperties' is required to be supplied and to be false";
  const names = Object.keys(Object(properties));
  const isWhole = names.length === listOf(required).length && names.every((name) => listOf(required).includes(name));
  return isWhole ? undefined : "'required' is required to be an array including every key in properties";
}

function refComplaint({ $ref, ...beside }: Json, root: Json): string | undefined {
  const word = Object.keys(beside)[0];
  if (word !== undefined) return `$ref cannot have keywords {'${word}'}`;
  const name = /^#\/\$defs\/(.+)$/.exec(String($ref))?.[1];
  const isKnown = $ref === '#' || (name !== undefined && Object.hasOwn(Object(root['$defs']), name));
  return isKnown ? undefined : `reference to ${String($ref)} cannot be resolved`;
}

function unionComplaint({ anyOf, ...beside }: Json): string | undefined {
  const word = Object.keys(beside).find((key) => !NOTES.includes(key));
  if (word !== undefined) return `'${word}' is not permitted`;
  const firsts = listOf(anyOf).flatMap((member) => Object.keys(Object(Object(member)['properties'])).slice(0, 1));
  const isDouble = new Set(firsts).size < firsts.length;
  return isDouble ? "Objects provided via 'anyOf' must not share identical first keys" : undefined;
}

function sizeComplaint(nodes: readonly unknown[], root: Json): string | undefined {
  const values = nodes.reduce<number>((sum, node) => sum + listOf(Object(node)['enum']).length, 0);
  if (values > MAX_VALUES) return `${values} enum values`;
  return levelsOf(root) > MAX_LEVELS ? `${levelsOf(root)} levels of nesting` : undefined;
}

function levelsOf(value: unknown): number {
  const below = Math.max(0, ...valuesOf(value).map(levelsOf));
  return isObject(value) && isObject(value['properties']) ? below + 1 : below;
}

function valuesOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
