import type { JsonObject } from '../protocol/messages.ts';
import { isObject } from './answer-faults.ts';
import { type Takes, toClosedSchema } from './closed-schema.ts';
import { hasLoop, schemasIn } from './schema-tree.ts';

/** Limits of one request: https://platform.claude.com/docs/en/build-with-claude/structured-outputs#schema-complexity-limits */
const MAX_OPTIONAL = 24;
const MAX_UNIONS = 16;
const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'];

/**
 * The schema of an answer in the part of JSON Schema that the service takes; undefined where it has no such form, or is
 * beyond the limits: https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 * The SDK has a helper for this, which our tests hold us to. It turns open maps into objects that must be empty, and lets
 * loops, definitions of older drafts and lists of types with objects through to the service, which refuses them.
 */
export function toAnthropicSchema(schema: JsonObject): JsonObject | undefined {
  const closed = toClosedSchema(schema, takes);
  return closed === undefined || hasLoop(closed) || isBeyondLimits(closed) ? undefined : closed;
}

/** Patterns are taken in part, and which part no rule tells exactly. */
const takes: Takes = (word, value, { type }) => {
  if (word === 'format') return type === 'string' && FORMATS.includes(String(value));
  if (word === 'minItems') return value === 0 || value === 1;
  return word === 'title' || word === 'description';
};

function isBeyondLimits(schema: JsonObject): boolean {
  const nodes = schemasIn(schema).filter(isObject);
  const unions = nodes.filter(({ anyOf, type }) => anyOf !== undefined || Array.isArray(type));
  const optional = nodes.reduce((sum, node) => sum + optionalNames(node).length, 0);
  return unions.length > MAX_UNIONS || optional > MAX_OPTIONAL;
}

function optionalNames({ properties, required }: JsonObject): readonly string[] {
  const names = isObject(properties) ? Object.keys(properties) : [];
  return names.filter((name) => !Array.isArray(required) || !required.includes(name));
}
