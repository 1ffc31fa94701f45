import { expect, it } from 'vitest';
import type { JsonObject } from '../protocol/messages.ts';
import { toAnthropicSchema } from './anthropic-output-schema.ts';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const closed = (properties: JsonObject, more: JsonObject = {}) =>
  object(properties, { additionalProperties: false, ...more });

it('says what the service has no word for in the description, but for what would only cost tokens', () => {
  const schema = object(
    {
      stars: { type: 'integer', minimum: 1, maximum: 5, description: 'How good.' },
      count: { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 },
      on: { type: 'string', format: 'date', pattern: '^\\d' },
      code: { type: 'string', format: 'cuid2', pattern: '^\\d' },
      until: { type: ['string', 'null'], format: 'date' },
      tags: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3 },
    },
    { $schema: 'x', required: ['stars'], title: 'Review' },
  );
  const told = (words: object) => `As JSON Schema: ${JSON.stringify(words)}`;
  expect(toAnthropicSchema(schema)).toEqual(
    closed(
      {
        stars: { type: 'integer', description: `How good.\n\n${told({ minimum: 1, maximum: 5 })}` },
        count: { type: 'integer' },
        on: { type: 'string', format: 'date' },
        until: { type: ['string', 'null'], description: told({ format: 'date' }) },
        code: { type: 'string', description: told({ format: 'cuid2', pattern: '^\\d' }) },
        tags: { type: 'array', items: { type: 'string' }, minItems: 1, description: told({ maxItems: 3 }) },
      },
      { required: ['stars'], title: 'Review' },
    ),
  );
});

it('closes objects, gives unions and definitions their newest names, and leaves references alone', () => {
  const schema = object(
    {
      one: { oneOf: [{ $ref: '#/definitions/A', description: 'd' }, { type: 'null' }] },
      is: { type: 'string', const: 'x' },
    },
    { definitions: { A: object({ b: { type: 'string' } }) } },
  );
  expect(toAnthropicSchema(schema)).toEqual(
    closed(
      { one: { anyOf: [{ $ref: '#/$defs/A' }, { type: 'null' }] }, is: { const: 'x' } },
      { $defs: { A: closed({ b: { type: 'string' } }) } },
    ),
  );
});

it.each<[string, JsonObject]>([
  ['a map', object({ a: object({}, { additionalProperties: { type: 'string' } }) })],
  ['more properties of some type', object({ a: { type: 'string' } }, { additionalProperties: { type: 'string' } })],
  ['more properties of any type', object({ a: { type: 'string' } }, { additionalProperties: true })],
  ['a map by patterns', closed({ a: { type: 'object', patternProperties: { x: {} } } })],
  ['an object of which nothing is said', object({ a: { type: 'object' } })],
  ['a required property that it does not name', object({ a: { type: 'string' } }, { required: ['b'] })],
  ['a value of any type', object({ a: {} })],
  ['true', object({ a: true })],
  ['a list of anything', object({ a: { type: 'array' } })],
  ['a tuple', object({ a: { type: 'array', items: { type: 'string' }, prefixItems: [] } })],
  ['a tuple of an older draft', object({ a: { type: 'array', items: [{ type: 'string' }] } })],
  ['a union beside properties', object({ a: { type: 'object', anyOf: [object({})], properties: {} } })],
  ['a union beside a type', object({ a: { type: 'string', anyOf: [{ type: 'string' }] } })],
  ['a text with parts', object({ a: { type: 'string', items: { type: 'string' } } })],
  ['an empty union', object({ a: { anyOf: [] } })],
  ['allOf', object({ a: { allOf: [{ type: 'string' }] } })],
  ['a list of objects', object({ a: { enum: [{}] } })],
  ['an empty list of values', object({ a: { enum: [] } })],
  ['an object or null', object({ a: { type: ['object', 'null'], properties: { b: { type: 'string' } } } })],
  ['an unknown type', object({ a: { type: 'date' } })],
  ['a root that is a reference', { type: 'object', $ref: '#/$defs/A', $defs: { A: closed({}) } }],
  ['a loop', object({ a: { $ref: '#' } })],
  [
    'a loop of definitions',
    object({ a: { $ref: '#/$defs/A' } }, { $defs: { A: object({ b: { $ref: '#/$defs/A' } }) } }),
  ],
  ['a reference elsewhere', object({ a: { $ref: 'https://x.y/z' } })],
  ['a reference to nothing', object({ a: { $ref: '#/$defs/A' } }, { $defs: {} })],
  [
    'a reference that is narrowed',
    object({ a: { $ref: '#/$defs/A', enum: ['x'] } }, { $defs: { A: { type: 'string' } } }),
  ],
  ['definitions inside', object({ a: closed({ b: { type: 'string' } }, { $defs: {} }) })],
  ['another base of references', object({ a: closed({ b: { type: 'string' } }, { $id: 'x' }) })],
])('has no form for %s', (_, schema) => {
  expect(toAnthropicSchema(schema)).toBeUndefined();
});

it('counts what may be missing and what may be of several types', () => {
  const many = (count: number, schema: JsonObject) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, schema]));
  const inList = (properties: JsonObject) =>
    object({ list: { type: 'array', items: object(properties) } }, { required: ['list'] });
  const text = { type: 'string' };
  const either = { type: ['string', 'null'] };
  expect(toAnthropicSchema(inList(many(24, text)))).toBeDefined();
  expect(toAnthropicSchema(inList(many(25, text)))).toBeUndefined();
  expect(toAnthropicSchema(inList(many(16, either)))).toBeDefined();
  expect(toAnthropicSchema(inList(many(17, either)))).toBeUndefined();
  expect(toAnthropicSchema(inList(many(17, { anyOf: [text, { type: 'null' }] })))).toBeUndefined();
});
