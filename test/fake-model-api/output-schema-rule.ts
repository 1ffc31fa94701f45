import { isObject, type StrictRule } from './wire.ts';

type Schema = Readonly<Record<string, unknown>>;

const MAX_OPTIONAL = 24;
const MAX_UNIONS = 16;
const NOTES = ['title', 'description', 'default'];
/** The words of each type. No service documents what it does with others; this one refuses them by name. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'minItems'],
  string: ['format', 'pattern'],
  number: [],
  integer: [],
  boolean: [],
  null: [],
};
const FORMATS = 'date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' ');
/** Groups that look around, references back and borders of words. */
const HARD_PATTERN = /\(\?[=!<]|\\[1-9bB]/;

/**
 * Rule 14: the schema of an answer is in the part of JSON Schema that the service compiles, and within its limits.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 */
export const outputSchemaCompiles: StrictRule = ({ output_config: config }) => {
  if (!isObject(config) || config['format'] === undefined) return undefined;
  const { format } = config;
  if (!isObject(format) || format['type'] !== 'json_schema')
    return 'output_config.format.type: Input should be json_schema';
  const { schema } = format;
  if (!isObject(schema) || schema['type'] !== 'object')
    return 'output_config.format.schema: Input should be an object schema';
  const complaint = schemaComplaint(schema) ?? limitComplaint(schema);
  return complaint && `output_config.format.schema: ${complaint}`;
};

function schemaComplaint({ $defs = {}, definitions = {}, ...root }: Schema): string | undefined {
  if (!isObject($defs) || !isObject(definitions)) return 'Invalid schema: definitions are no objects';
  const named = [...namesOf($defs, '#/$defs/'), ...namesOf(definitions, '#/definitions/')];
  const targets = new Map(named);
  const nodes = [root, ...targets.values()];
  return firstOf(nodes, (node) => nodeComplaint(node, targets)) ?? loopComplaint(targets);
}

function namesOf(schemas: Schema, path: string): [string, unknown][] {
  return Object.entries(schemas).map(([name, schema]) => [path + name, schema]);
}

function nodeComplaint(node: unknown, targets: ReadonlyMap<string, unknown>): string | undefined {
  if (!isObject(node)) return 'Invalid schema: a schema is no object';
  if (node['$ref'] !== undefined) return refComplaint(node, targets);
  const own = unionOf(node) ? unionComplaint(node) : typedComplaint(node);
  return own ?? firstOf(childrenOf(node), (child) => nodeComplaint(child, targets));
}

function refComplaint({ $ref, ...beside }: Schema, targets: ReadonlyMap<string, unknown>): string | undefined {
  if (typeof $ref !== 'string' || !$ref.startsWith('#')) return `External $ref is not supported: ${String($ref)}`;
  if ($ref === '#') return 'Circular reference detected in schema definitions: # -> #';
  if (!targets.has($ref)) return `Invalid schema: ${$ref} leads nowhere`;
  const word = Object.keys(beside)[0];
  return word && `For '$ref', property '${word}' is not supported`;
}

function unionComplaint(node: Schema): string | undefined {
  if (node['oneOf'] !== undefined) return "Schema type 'oneOf' is not supported";
  const members = childrenOf(node);
  if (members.length === 0) return 'Invalid schema: anyOf or allOf is empty';
  if (node['allOf'] !== undefined && members.some((member) => isObject(member) && '$ref' in member)) {
    return 'allOf with $ref is not supported';
  }
  const word = Object.keys(node).find((key) => ![...NOTES, 'anyOf', 'allOf'].includes(key));
  return word && `For 'anyOf', property '${word}' is not supported`;
}

function typedComplaint(node: Schema): string | undefined {
  const values = [...(Array.isArray(node['enum']) ? node['enum'] : []), node['const'] ?? null];
  if (values.some((value) => typeof value === 'object' && value !== null))
    return 'Complex types in enum are not supported';
  const types = typesOf(node);
  const hasValues = 'enum' in node || 'const' in node;
  if (types.length === 0 && !hasValues) return 'Invalid schema: Schema type is missing';
  const unknown = types.find((type) => !Object.hasOwn(WORDS, type));
  if (unknown !== undefined) return `Invalid schema: Schema type '${unknown}' is not supported`;
  const words = [...NOTES, 'type', 'enum', 'const', ...types.flatMap((type) => WORDS[type] ?? [])];
  const word = Object.keys(node).find((key) => !words.includes(key));
  if (word !== undefined) return `For '${types.join()}' type, property '${word}' is not supported`;
  return firstOf(types, (type) => wordComplaint(type, node));
}

function wordComplaint(type: string, node: Schema): string | undefined {
  const { properties = {}, required = [], additionalProperties, items, minItems = 0, format, pattern = '' } = node;
  if (type === 'object') {
    const isClosed = additionalProperties === false;
    if (!isClosed) return "For 'object' type, 'additionalProperties' must be explicitly set to false";
    const isKnown =
      isObject(properties) && Array.isArray(required) && required.every((name) => Object.hasOwn(properties, name));
    return isKnown ? undefined : "For 'object' type, 'required' names no property";
  }
  if (type === 'array') {
    if (!isObject(items)) return "For 'array' type, 'items' is required";
    return [0, 1].includes(Number(minItems))
      ? undefined
      : "For 'array' type, 'minItems' values other than 0 or 1 are not supported";
  }
  if (format !== undefined && !FORMATS.includes(String(format)))
    return `For 'string' type, format '${String(format)}' is not supported`;
  return HARD_PATTERN.test(String(pattern)) ? `Unsupported regex: ${String(pattern)}` : undefined;
}

function loopComplaint(targets: ReadonlyMap<string, unknown>): string | undefined {
  const refsIn = (value: unknown): string[] => {
    if (typeof value !== 'object' || value === null) return [];
    const own = isObject(value) && typeof value['$ref'] === 'string' ? [value['$ref']] : [];
    return [...own, ...Object.values(value).flatMap(refsIn)];
  };
  const leads = (from: string, to: string, seen: readonly string[] = []): boolean =>
    refsIn(targets.get(from)).some((ref) => ref === to || (!seen.includes(ref) && leads(ref, to, [...seen, ref])));
  const loop = [...targets.keys()].find((name) => leads(name, name));
  return loop && `Circular reference detected in schema definitions: ${loop} -> ${loop}`;
}

function limitComplaint(schema: Schema): string | undefined {
  const nodes = allNodes(schema);
  const optional = nodes.flatMap((node) => {
    const required = Array.isArray(node['required']) ? node['required'] : [];
    return Object.keys(isObject(node['properties']) ? node['properties'] : {}).filter(
      (name) => !required.includes(name),
    );
  });
  if (optional.length > MAX_OPTIONAL)
    return `Schemas contains too many optional parameters (${optional.length}) (limit: 24).`;
  const unions = nodes.filter((node) => unionOf(node) !== undefined || Array.isArray(node['type'])).length;
  return unions > MAX_UNIONS
    ? `Schemas contains too many parameters with union types (${unions}) (limit: 16).`
    : undefined;
}

function allNodes(node: unknown): readonly Schema[] {
  if (!isObject(node)) return [];
  const { $defs = {}, definitions = {} } = node;
  const inner = [...childrenOf(node), ...Object.values(Object($defs)), ...Object.values(Object(definitions))];
  return [node, ...inner.flatMap(allNodes)];
}

function childrenOf(node: Schema): readonly unknown[] {
  const { properties, items } = node;
  const named = isObject(properties) ? Object.values(properties) : [];
  return [...named, ...(items === undefined ? [] : [items]), ...(unionOf(node) ?? [])];
}

function unionOf(node: Schema): readonly unknown[] | undefined {
  const union = node['anyOf'] ?? node['allOf'] ?? node['oneOf'];
  return Array.isArray(union) ? union : undefined;
}

function typesOf({ type }: Schema): readonly string[] {
  if (type === undefined) return [];
  return Array.isArray(type) ? type.map(String) : [String(type)];
}

function firstOf<T>(items: readonly T[], judge: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const complaint = judge(item);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}
