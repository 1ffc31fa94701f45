import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../protocol/messages.ts';
import { type CompiledInput, compileInput } from './input-schema.ts';

function compiled(input: unknown): CompiledInput {
  const result = compileInput(input);
  if (typeof result === 'string') throw new Error(result);
  return result;
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

describe('Zod', () => {
  const schema = z.object({
    city: z.string().trim().describe('a city'),
    days: z.coerce.number().default(1),
    tags: z.array(z.object({ name: z.string() })).optional(),
  });

  test('gives the JSON Schema of what the model sends, without a dialect', () => {
    const { inputSchema } = compiled(schema);
    expect(inputSchema).toMatchObject({ type: 'object', required: ['city'] });
    expect(inputSchema).not.toHaveProperty('$schema');
  });

  test('the value is parsed: defaults, coercion and transforms are in it', async () => {
    const checked = await compiled(schema).validate({ city: ' Rome ' });
    expect(checked).toEqual({ status: 'valid', value: { city: 'Rome', days: 1 } });
  });

  test('an invalid input names the path of the first fault and tells the others', async () => {
    const checked = await compiled(schema).validate({ city: 1, tags: [{ name: 'a' }, {}] });
    expect(checked).toMatchObject({ status: 'invalid', path: 'city' });
    expect(checked).toHaveProperty('message', expect.stringMatching(/^city: .+; tags\[1\]\.name: .+/));
  });

  test('a check that throws is an invalid input that says so', async () => {
    const broken = z.object({}).refine(() => {
      throw new Error('refine broke');
    });
    expect(await compiled(broken).validate({})).toMatchObject({
      status: 'invalid',
      message: expect.stringContaining('refine broke'),
    });
  });

  test('an asynchronous check is awaited', async () => {
    const late = z.object({ a: z.string().refine(async (text) => text === 'yes', 'must be yes') });
    expect(await compiled(late).validate({ a: 'no' })).toMatchObject({ path: 'a', message: 'a: must be yes' });
  });
});

describe('JSON Schema', () => {
  test.each<[string, JsonObject, JsonObject, string, string]>([
    ['a wrong type', object({ level: { type: 'number' } }), { level: 'ten' }, 'level', 'level: must be number'],
    ['a missing member', object({}, { required: ['a'] }), {}, 'a', 'a: is required'],
    ['a member too many', object({}, { additionalProperties: false }), { b: 1 }, 'b', 'b: is not allowed'],
    ['an enum', object({ a: { enum: ['x', 'y'] } }), { a: 'z' }, 'a', 'a: must be one of ["x","y"]'],
    ['a constant', object({ a: { const: 1 } }), { a: 2 }, 'a', 'a: must be 1'],
    [
      'a nested member',
      object({ l: { items: object({ 'n/m': { type: 'string' } }) } }),
      { l: [{}, { 'n/m': 1 }] },
      'l[1].n/m',
      'l[1].n/m: must be string',
    ],
    ['a rule for the whole', object({}, { minProperties: 1 }), {}, '', 'must NOT have fewer than 1 properties'],
  ])('%s', async (_, schema, input, path, message) => {
    expect(await compiled(schema).validate(input)).toEqual({ status: 'invalid', path, message });
  });

  test('a valid input comes back unchanged', async () => {
    const input = { level: 10 };
    expect(await compiled(object({ level: { type: 'number', default: 1 } })).validate(input)).toEqual({
      status: 'valid',
      value: input,
    });
  });

  test('many faults are cut to five', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const checked = await compiled(object({}, { required: names })).validate({});
    expect(checked).toHaveProperty('message', expect.stringMatching(/e: is required; and 2 more faults$/));
  });

  test.each<[string, JsonObject]>([
    ['formats', object({ a: { type: 'string', format: 'no-such-format' } })],
    ['words of others', object({ a: { type: 'string', 'x-order': 1 } }, { discriminator: { propertyName: 'a' } })],
    [
      'draft-07',
      {
        ...object({ a: { type: 'array', items: [{ type: 'string' }] } }),
        $schema: 'http://json-schema.org/draft-07/schema#',
      },
    ],
    ['draft-04', { ...object({}), $schema: 'http://json-schema.org/draft-04/schema#' }],
    ['2019-09', { ...object({}), $schema: 'https://json-schema.org/draft/2019-09/schema' }],
    ['a pattern that is only legal without the u flag', object({ a: { type: 'string', pattern: '^[\\w-.]+$' } })],
    ['an id', { ...object({}), $id: 'https://example.com/same' }],
    ['the same id again', { ...object({}), $id: 'https://example.com/same' }],
    ['itself', object({ a: { anyOf: [{ type: 'string' }, { $ref: '#' }] } })],
    ['definitions', { ...object({ a: { $ref: '#/$defs/s' } }), $defs: { s: { type: 'string' } } }],
  ])('%s do no harm', async (_, schema) => {
    expect(await compiled(schema).validate({})).toMatchObject({ status: 'valid' });
  });

  test('a reference that leads nowhere makes every input invalid and says why', async () => {
    const checked = await compiled(object({ a: { $ref: '#/$defs/gone' } })).validate({ a: 1 });
    expect(checked).toMatchObject({ status: 'invalid', message: expect.stringContaining('#/$defs/gone') });
  });
});

test.each<[string, unknown, RegExp]>([
  ['nothing', undefined, /must be a Zod 4 or Standard Schema object, or a JSON Schema, not undefined/],
  ['a list', [], /not a list/],
  ['a Zod type that is no object', z.string(), /must be the schema of an object .*"string"/],
  ['a JSON Schema without a type', {}, /type undefined/],
  ['a Zod type without a JSON form', z.object({ d: z.date() }), /has no JSON Schema: Date/],
  [
    'another Standard Schema without a JSON form',
    { '~standard': { version: 1, vendor: 'x' } },
    /cannot give its JSON Schema/,
  ],
  [
    'a broken JSON Schema',
    { type: 'object', properties: { a: { type: 'nonsense' } } },
    /no valid JSON Schema: properties\.a\.type/,
  ],
])('%s is refused with its fault', (_, input, fault) => {
  expect(compileInput(input)).toMatch(fault);
});
