import type { JsonObject, JsonValue } from '../protocol/messages.ts';
import { isObject } from './answer-faults.ts';
import { type Takes, toClosedSchema } from './closed-schema.ts';
import { schemasIn } from './schema-tree.ts';

const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
/** Levels of nesting that the service takes. */
const MAX_LEVELS = 10;

/**
 * The schema of an answer in the part that the service guarantees, without another meaning; undefined where it has no
 * such form: optional properties, open maps. https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 * Unions of objects are left out too, since the service refuses those whose members begin with the same key.
 */
export function toStrictSchema(schema: JsonObject): JsonObject | undefined {
  const closed = toClosedSchema(schema, takes);
  if (closed === undefined || levelsOf(closed) > MAX_LEVELS) return undefined;
  return schemasIn(closed).filter(isObject).every(isStrict) ? closed : undefined;
}

const takes: Takes = (word, value, { type }) => {
  if (word === 'format') return type === 'string' && FORMATS.includes(String(value));
  if (word === 'minItems' || word === 'maxItems') return type === 'array';
  if (BOUNDS.includes(word)) return type === 'number' || type === 'integer';
  return word === 'title' || word === 'description' || word === 'type';
};

function isStrict(node: JsonObject): boolean {
  const { type, anyOf, properties, required, $ref } = node;
  if (Array.isArray(anyOf)) return anyOf.filter((member) => !isPlain(member)).length <= 1;
  const needed = Array.isArray(required) ? required : [];
  if (isObject(properties)) return Object.keys(properties).every((name) => needed.includes(name));
  return type !== undefined || $ref !== undefined;
}

function isPlain(member: JsonValue): boolean {
  return isObject(member) && member['$ref'] === undefined && member['properties'] === undefined;
}

function levelsOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  const below = Math.max(0, ...Object.values(value).map(levelsOf));
  return isObject(value) && isObject(value['properties']) ? below + 1 : below;
}
