// Schemas as users write them, for the tests of what each provider is sent.

import { z } from 'zod';
import { defineAgent } from '../../src/agents/agent.ts';
import type { JsonObject, JsonValue } from '../../src/protocol/messages.ts';
import type { InputSchema } from '../../src/tools/input-schema.ts';

/** How a provider is asked for an answer: in its field for schemas, held to it by guarantee, or in words. */
export type Asked = 'strict' | 'schema' | 'words';

/** One schema, an answer that fits it, and how it is asked for. */
export interface OutputSchema {
  readonly name: string;
  readonly schema: InputSchema;
  readonly fits: JsonValue;
  readonly anthropic: Asked;
  readonly openai: Asked;
  readonly google: Asked;
}

/** All that providers differ in, as most schemas have it. */
const PLAIN = { anthropic: 'schema', openai: 'strict', google: 'schema' } as const;
/** With properties that may be missing. */
const OPTIONAL = { ...PLAIN, openai: 'schema' } as const;
/** With objects of any properties, or values of any type. */
const OPEN = { ...OPTIONAL, anthropic: 'words' } as const;

const Address = z.object({ street: z.string(), city: z.string() }).meta({ id: 'Address', description: 'Where it is.' });
const Comment = z.object({
  text: z.string(),
  get replies() {
    return z.array(Comment);
  },
});
const Category = z.object({
  name: z.string(),
  get parent() {
    return Category.optional();
  },
});

const ZOD: readonly OutputSchema[] = [
  {
    name: 'objects in lists in objects',
    schema: z.object({ shop: z.object({ items: z.array(z.object({ sku: z.string(), count: z.int() })) }) }),
    fits: { shop: { items: [{ sku: 'a', count: 1 }] } },
    ...PLAIN,
  },
  {
    name: 'optional, nullable and default',
    schema: z.object({
      a: z.string().optional(),
      b: z.string().nullable(),
      c: z.number().nullish(),
      d: z.number().default(3),
    }),
    fits: { b: null, c: null },
    ...OPTIONAL,
  },
  {
    name: 'enums and literals',
    schema: z.object({ size: z.enum(['S', 'M']), mood: z.enum(['good', 'bad']).nullable(), is: z.literal(true) }),
    fits: { size: 'M', mood: null, is: true },
    ...PLAIN,
  },
  {
    name: 'a union of plain values',
    schema: z.object({ id: z.union([z.string(), z.number()]) }),
    fits: { id: 7 },
    ...PLAIN,
  },
  {
    name: 'a discriminated union',
    schema: z.object({
      event: z.discriminatedUnion('type', [
        z.object({ type: z.literal('paid'), cents: z.int() }),
        z.object({ type: z.literal('failed'), why: z.string() }),
      ]),
    }),
    fits: { event: { type: 'failed', why: 'no money' } },
    ...OPTIONAL,
  },
  {
    name: 'strings with formats',
    schema: z.object({ on: z.iso.date(), at: z.iso.datetime(), mail: z.email(), site: z.url(), id: z.cuid2() }),
    fits: { on: '2026-01-31', at: '2026-01-31T10:00:00Z', mail: 'a@b.co', site: 'https://b.co', id: 'abc' },
    ...PLAIN,
  },
  {
    name: 'bounds of numbers, texts and lists',
    schema: z.object({
      stars: z.int().min(1).max(5),
      price: z.number().positive().multipleOf(0.5),
      title: z
        .string()
        .min(1)
        .max(80)
        .regex(/^(?!x)/),
      tags: z.array(z.string()).min(2).max(5),
    }),
    fits: { stars: 5, price: 1.5, title: 'fine', tags: ['a', 'b'] },
    ...PLAIN,
  },
  {
    name: 'named parts, used twice and told of',
    schema: z.object({ home: Address.describe('Where they live.'), work: Address }),
    fits: { home: { street: 'a', city: 'b' }, work: { street: 'a', city: 'b' } },
    ...PLAIN,
  },
  {
    name: 'a strict object with an object that may be null',
    schema: z.strictObject({ best: z.object({ n: z.number() }).nullable() }),
    fits: { best: null },
    ...PLAIN,
  },
  {
    name: 'a record',
    schema: z.object({ totals: z.record(z.string(), z.number()) }),
    fits: { totals: { a: 1 } },
    ...OPEN,
  },
  { name: 'any value', schema: z.object({ raw: z.unknown() }), fits: { raw: [1] }, ...OPEN },
  { name: 'a loose object', schema: z.looseObject({ a: z.string() }), fits: { a: 'b', c: 1 }, ...OPEN },
  { name: 'a tuple', schema: z.object({ at: z.tuple([z.number(), z.number()]) }), fits: { at: [1, 2] }, ...OPEN },
  {
    name: 'itself in a list',
    schema: z.object({ first: z.lazy(() => Comment) }),
    fits: { first: { text: 'a', replies: [{ text: 'b', replies: [] }] } },
    anthropic: 'words',
    openai: 'strict',
    google: 'words',
  },
  { name: 'itself where it may be missing', schema: Category, fits: { name: 'a', parent: { name: 'b' } }, ...OPEN },
  {
    name: 'more optional properties than Claude takes',
    schema: z.object(Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`p${n}`, z.string().optional()]))),
    fits: { p3: 'a' },
    ...OPEN,
  },
  {
    name: 'more unions than Claude takes',
    schema: z.object(Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`p${n}`, z.string().nullable()]))),
    fits: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`p${n}`, null])),
    ...PLAIN,
    anthropic: 'words',
  },
];

const closed: JsonObject = { type: 'object', additionalProperties: false };
const nested = (levels: number): JsonObject =>
  levels === 1 ? closed : { ...closed, properties: { a: nested(levels - 1) }, required: ['a'] };

const JSON_SCHEMAS: readonly OutputSchema[] = [
  {
    name: 'definitions of an older draft',
    schema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { a: { $ref: '#/definitions/A' }, n: { type: ['number', 'null'], title: 'N', $comment: 'c' } },
      required: ['a', 'n'],
      definitions: { A: { ...closed, properties: { s: { type: 'string', examples: ['x'] } }, required: ['s'] } },
    },
    fits: { a: { s: 'x' }, n: null },
    ...PLAIN,
  },
  {
    name: 'an object of which nothing is said',
    schema: { ...closed, properties: { meta: { type: 'object' } }, required: ['meta'] },
    fits: { meta: { a: 1 } },
    ...OPEN,
  },
  {
    name: 'allOf, which closes no object',
    schema: { type: 'object', properties: { a: { allOf: [{ type: 'object' }, { required: ['b'] }] } } },
    fits: { a: { b: 1 } },
    ...OPEN,
  },
  {
    name: 'an object or null by a list of types',
    schema: { type: 'object', properties: { a: { type: ['object', 'null'], properties: { b: { type: 'string' } } } } },
    fits: { a: null },
    ...OPEN,
  },
  {
    name: 'a reference to a place in itself',
    schema: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { $ref: '#/properties/a' } },
      required: ['a', 'b'],
    },
    fits: { a: 'x', b: 'y' },
    anthropic: 'words',
    openai: 'schema',
    google: 'words',
  },
  {
    name: 'more levels than OpenAI guarantees',
    schema: nested(11),
    fits: { a: { a: { a: { a: { a: { a: { a: { a: { a: { a: {} } } } } } } } } } },
    ...OPTIONAL,
  },
  {
    name: 'one of some objects',
    schema: { type: 'object', properties: { a: { enum: [{ x: 1 }, { x: 2 }] } }, required: ['a'] },
    fits: { a: { x: 2 } },
    ...OPEN,
  },
];

/** About two dozen schemas, of Zod and by hand. */
export const OUTPUT_SCHEMAS: readonly OutputSchema[] = [...ZOD, ...JSON_SCHEMAS];

/** The JSON Schema that a run with this schema sends to an adapter. */
export function outputOf(schema: InputSchema): JsonObject {
  const { output } = defineAgent({ name: 'a', instructions: 'Be brief.', model: 'demo', output: schema });
  if (output === undefined) throw new Error('an agent with an output has a schema');
  return output;
}
