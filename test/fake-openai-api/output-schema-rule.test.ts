import { describe, expect, test } from 'vitest';
import { chatWire } from './chat.ts';
import { outputSchemaComplaint } from './output-schema-rule.ts';
import { responsesWire } from './responses.ts';

const object = (properties: object, more: object = {}) => {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false, ...more };
};
const strict = (schema: unknown) => outputSchemaComplaint({ name: 'output', schema, strict: true });
const nested = (levels: number): object => object(levels === 1 ? {} : { a: nested(levels - 1) });

describe('the schema of an answer', () => {
  test('may be any of an object where it is not strict', () => {
    const schema = { type: 'object', additionalProperties: { oneOf: [] } };
    expect(outputSchemaComplaint({ name: 'output', schema, strict: false })).toBeUndefined();
    expect(outputSchemaComplaint({ name: 'output', schema: { type: 'string' } })).toContain('no object');
    expect(outputSchemaComplaint({ name: 'out put', schema })).toContain('bad name');
  });

  test('may be what the documents show where it is strict', () => {
    const properties = {
      a: { type: 'array', items: { $ref: '#' }, minItems: 1, maxItems: 2 },
      b: { anyOf: [{ $ref: '#/$defs/B' }, { type: 'null' }], description: 'd' },
      c: { type: 'integer', minimum: 1, exclusiveMaximum: 5 },
      d: { type: 'string', format: 'date', title: 'D' },
      e: { type: ['string', 'null'], enum: ['a', null] },
    };
    expect(strict(object(properties, { $defs: { B: object({}) } }))).toBeUndefined();
    expect(strict(nested(10))).toBeUndefined();
  });

  test.each<[words: string, schema: unknown]>([
    ['including every key', object({ a: { type: 'string' } }, { required: [] })],
    ["'additionalProperties' is required", object({ a: { type: 'object' } })],
    ["'oneOf' is not permitted", object({ a: { type: 'string', oneOf: [] } })],
    ["'default' is not permitted", object({ a: { type: 'string', default: 'a' } })],
    ["'minLength' is not permitted", object({ a: { type: 'string', minLength: 1 } })],
    ["must have a 'type' key", object({ a: { enum: ['a'] } })],
    ['missing items', object({ a: { type: 'array' } })],
    ['not a valid format', object({ a: { type: 'string', format: 'uri' } })],
    [
      'identical first keys',
      object({ a: { anyOf: [object({ x: { type: 'null' } }), object({ x: { type: 'null' } })] } }),
    ],
    ["'type' is not permitted", object({ a: { type: 'string', anyOf: [] } })],
    ['anyOf at the root', object({}, { anyOf: [] })],
    ['cannot have keywords', object({ a: { $ref: '#', description: 'd' } })],
    ['cannot be resolved', object({ a: { $ref: '#/$defs/A' } })],
    ['no object', object({ a: true })],
    ['1001 enum values', object({ a: { type: 'number', enum: Array.from({ length: 1_001 }, (_, n) => n) } })],
    ['11 levels', nested(11)],
  ])('is refused where it is strict: %s', (words, schema) => {
    expect(strict(schema)).toContain(words);
  });

  test('is looked at on both wires', () => {
    const bad = { name: 'output', schema: { type: 'object' }, strict: true };
    const messages = [{ role: 'user', content: 'hi' }];
    const format = { type: 'json_schema', json_schema: bad };
    expect(chatWire.complaintAbout({ messages, response_format: format }, [], '')).toContain('Invalid schema');
    const input = [{ role: 'user', content: 'hi' }];
    const text = { format: { type: 'json_schema', ...bad } };
    expect(responsesWire.complaintAbout({ input, text }, [], '')).toContain('Invalid schema');
  });
});
