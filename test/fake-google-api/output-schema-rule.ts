import { firstComplaint, isObject, type Json } from '../fake-openai-api/wire-fake.ts';

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/**
 * What is wrong with the schema of an answer. Words that the service does not know are ignored; references and loops are
 * what it is strict about, by the documents of `responseJsonSchema`: https://ai.google.dev/api/generate-content
 */
export function outputSchemaComplaint(config: Json): string | undefined {
  const { responseJsonSchema: schema, responseMimeType } = config;
  if (schema === undefined) return undefined;
  if (responseMimeType !== 'application/json') return 'response_json_schema needs response_mime_type application/json';
  if (!isObject(schema)) return 'response_json_schema: no object';
  const definitions = isObject(schema['$defs']) ? Object.entries(schema['$defs']) : [];
  const targets = new Map<string, unknown>([
    ['#', schema],
    ...definitions.map(([name, to]) => [`#/$defs/${name}`, to] as const),
  ]);
  const nodes = [...targets.values()].flatMap(nodesOf);
  return firstComplaint(nodes, (node) => nodeComplaint(node, targets)) ?? loopComplaint(targets);
}

function nodeComplaint(node: unknown, targets: ReadonlyMap<string, unknown>): string | undefined {
  if (!isObject(node)) return undefined;
  const { $ref, type, enum: values = [] } = node;
  if (typeof $ref === 'string') {
    const beside = Object.keys(node).find((word) => !word.startsWith('$'));
    if (beside !== undefined) return `$ref '${$ref}' was set alongside unsupported fields: ${beside}`;
    return targets.has($ref) ? undefined : `$ref '${$ref}' cannot be resolved`;
  }
  const types = type === undefined ? [] : [type].flat();
  if (!types.every((name) => TYPES.includes(String(name)))) return `unknown type ${JSON.stringify(type)}`;
  const isListable = Array.isArray(values) && values.every((value) => ['string', 'number'].includes(typeof value));
  return isListable ? undefined : 'enum: only strings and numbers';
}

/** A loop is taken where a property that need not be there opens it. */
function loopComplaint(targets: ReadonlyMap<string, unknown>): string | undefined {
  const leads = (from: string, to: string, seen: readonly string[]): boolean =>
    neededRefs(targets.get(from)).some((ref) => ref === to || (!seen.includes(ref) && leads(ref, to, [...seen, ref])));
  const loop = [...targets.keys()].find((name) => leads(name, name, []));
  return loop && `a ref loop of required fields was found at ${loop}`;
}

function neededRefs(node: unknown): readonly string[] {
  if (!isObject(node)) return [];
  const { $ref, required } = node;
  const names = Array.isArray(required) ? required : [];
  const properties = Object.entries(Object(node['properties'])).filter(([name]) => names.includes(name));
  const inner = [...properties.map(([, value]) => value), ...otherParts(node)];
  return [...(typeof $ref === 'string' ? [$ref] : []), ...inner.flatMap(neededRefs)];
}

function nodesOf(node: unknown): readonly unknown[] {
  if (!isObject(node)) return [node];
  return [node, ...[...Object.values(Object(node['properties'])), ...otherParts(node)].flatMap(nodesOf)];
}

function otherParts({ items, additionalProperties, anyOf, oneOf, prefixItems }: Json): readonly unknown[] {
  return [
    items,
    additionalProperties,
    ...[anyOf, oneOf, prefixItems].flatMap((list) => (Array.isArray(list) ? list : [])),
  ];
}
