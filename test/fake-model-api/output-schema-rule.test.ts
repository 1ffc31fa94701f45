import { describe, expect, test } from 'vitest';
import { requestOf, text, user } from './samples.ts';
import { complaintAbout } from './strict-rules.ts';
import type { WireRequest } from './wire.ts';

const closed = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more,
});
const many = (count: number, schema: object) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, schema]));

function complaint(schema: unknown, type = 'json_schema'): string | undefined {
  const request = { ...requestOf(user(text('hi'))), output_config: { format: { type, schema } } };
  return complaintAbout(request as WireRequest, { sent: [] });
}

describe('rule 14: the schema of an answer', () => {
  test('may be what the documents show', () => {
    const $defs = { A: { type: 'string', enum: ['a', 'b'], default: 'a' } };
    const properties = {
      a: { $ref: '#/$defs/A' },
      b: { anyOf: [{ type: 'number', title: 'B' }, { type: 'null' }], description: 'd' },
      c: { type: 'array', items: closed({}), minItems: 1 },
      d: { type: ['string', 'null'] },
      e: { type: 'string', format: 'date', pattern: '^[0-9]{4}-.*$' },
      f: { const: 1 },
    };
    expect(complaint(closed(properties, { $defs, required: ['a', 'b'] }))).toBeUndefined();
    expect(complaint(closed(many(24, { type: 'string' })))).toBeUndefined();
    expect(complaint(closed(many(16, { type: ['string', 'null'] })))).toBeUndefined();
  });

  test('stands in a format that is known, or nowhere', () => {
    const request = { ...requestOf(user(text('hi'))), output_config: { effort: 'low' } };
    expect(complaintAbout(request as WireRequest, { sent: [] })).toBeUndefined();
    expect(complaint(closed({}), 'xml')).toContain('json_schema');
  });

  test.each<[words: string, schema: unknown]>([
    ['object schema', { type: 'array', items: {} }],
    ['must be explicitly set to false', { type: 'object', properties: {} }],
    ['must be explicitly set to false', closed({ a: { type: 'object', additionalProperties: { type: 'string' } } })],
    ['must be explicitly set to false', closed({ a: { type: ['object', 'null'] } })],
    ["'required' names no property", closed({}, { required: ['a'] })],
    ["property 'minimum' is not supported", closed({ a: { type: 'number', minimum: 1 } })],
    ["property 'exclusiveMinimum' is not supported", closed({ a: { type: 'integer', exclusiveMinimum: 1 } })],
    ["property 'maxLength' is not supported", closed({ a: { type: 'string', maxLength: 1 } })],
    ["property 'maxItems' is not supported", closed({ a: { type: 'array', items: { type: 'null' }, maxItems: 2 } })],
    ["property 'propertyNames' is not supported", closed({ a: closed({}, { propertyNames: {} }) })],
    ["property 'strict' is not supported", closed({}, { strict: true })],
    ['other than 0 or 1', closed({ a: { type: 'array', items: { type: 'null' }, minItems: 2 } })],
    ["'items' is required", closed({ a: { type: 'array' } })],
    ["format 'cuid' is not supported", closed({ a: { type: 'string', format: 'cuid' } })],
    ['Unsupported regex', closed({ a: { type: 'string', pattern: '^(?!x)' } })],
    ["'oneOf' is not supported", closed({ a: { oneOf: [{ type: 'null' }] } })],
    ['is empty', closed({ a: { anyOf: [] } })],
    ["For 'anyOf', property 'type'", closed({ a: { type: 'string', anyOf: [{ type: 'string' }] } })],
    ['allOf with $ref', closed({ a: { allOf: [{ $ref: '#/$defs/A' }] } }, { $defs: { A: { type: 'null' } } })],
    ['Complex types', closed({ a: { enum: [{}] } })],
    ['type is missing', closed({ a: { description: 'anything' } })],
    ["type 'date' is not supported", closed({ a: { type: 'date' } })],
    ['no object', closed({ a: true })],
    ['External $ref', closed({ a: { $ref: 'https://x.y/z' } })],
    ['leads nowhere', closed({ a: { $ref: '#/$defs/A' } })],
    [
      "For '$ref', property 'description'",
      closed({ a: { $ref: '#/$defs/A', description: 'd' } }, { $defs: { A: {} } }),
    ],
    ['# -> #', closed({ a: { $ref: '#' } })],
    [
      'Circular reference',
      closed({ a: { $ref: '#/$defs/A' } }, { $defs: { A: closed({ b: { anyOf: [{ $ref: '#/$defs/A' }] } }) } }),
    ],
    ['too many optional parameters (25)', closed(many(25, { type: 'string' }))],
    ['union types (17)', closed(many(17, { type: ['string', 'null'] }))],
    ['union types (17)', closed({ a: { type: 'array', items: closed(many(17, { anyOf: [{ type: 'null' }] })) } })],
  ])('is refused: %s', (words, schema) => {
    expect(complaint(schema)).toContain(words);
  });
});
