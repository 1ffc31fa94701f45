import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/protocol/messages.ts';
import { createJsonSchemaCheck } from '../../src/tools/json-schema.ts';
import { anyJson } from './any-json.ts';

/** A schema, and values that have its structure: no property that it does not name, and any number, text and length. */
interface Shape {
  readonly schema: JsonObject;
  readonly values: fc.Arbitrary<JsonValue>;
}

/** Words that narrow values or speak about them, each for one type or for all. */
const BESIDE: Readonly<Record<string, fc.Arbitrary<JsonObject>>> = {
  string: fc.constantFrom<JsonObject>(
    { minLength: 1 },
    { pattern: '^(?!x).*$' },
    { format: 'date', pattern: '^\\d' },
    { format: 'x' },
  ),
  number: fc.constantFrom<JsonObject>(
    { minimum: 1 },
    { exclusiveMinimum: 0 },
    { multipleOf: 2 },
    { maximum: 9007199254740991 },
  ),
  array: fc.constantFrom<JsonObject>({ minItems: 1 }, { minItems: 2 }, { maxItems: 3 }, { uniqueItems: true }),
  any: fc.constantFrom<JsonObject>(
    {},
    {},
    { description: 'd' },
    { title: 't', default: 1 },
    { 'x-own': [1], $comment: 'c' },
  ),
};

const beside = (type: string) =>
  fc.tuple(fc.option(BESIDE[type] ?? fc.constant({}), { nil: {} }), BESIDE['any'] ?? fc.constant({}));

function plain(): fc.Arbitrary<Shape> {
  const text: fc.Arbitrary<JsonValue> = fc.constantFrom('a', 'xyz', '2026-01-01', '');
  const numbers: fc.Arbitrary<JsonValue> = fc.constantFrom(0, 1, 2, 7.5);
  return fc.oneof(
    beside('string').map(([own, any]) => ({ schema: { type: 'string', ...own, ...any }, values: text })),
    beside('number').map(([own, any]) => ({ schema: { type: 'number', ...own, ...any }, values: numbers })),
    fc.constant<Shape>({ schema: { type: ['string', 'null'] }, values: fc.constantFrom('a', null) }),
    fc.constant<Shape>({ schema: { type: 'string', enum: ['a', 'b'] }, values: fc.constantFrom('a', 'b') }),
    fc.constant<Shape>({ schema: { type: 'string', const: 'a' }, values: fc.constant('a') }),
    fc.constant<Shape>({ schema: { enum: ['a', 1, null] }, values: fc.constantFrom('a', 1, null) }),
  );
}

/** What only some services have a form for, or none. */
function open(shape: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> {
  return fc.oneof(
    fc.constant<Shape>({ schema: {}, values: anyJson() }),
    fc.constant<Shape>({ schema: { type: 'object' }, values: fc.constant({ any: 1 }) }),
    shape.map(({ schema, values }) => ({
      schema: { type: 'object', additionalProperties: schema },
      values: values.map((value) => ({ some: value })),
    })),
    shape.map(({ schema, values }) => ({
      schema: { type: 'array', prefixItems: [schema], items: false, maxItems: 1 },
      values: values.map((value) => [value]),
    })),
    shape.map(({ schema, values }) => ({ schema: { allOf: [schema] }, values })),
  );
}

/** How much of JSON Schema: all that users write, closed objects only, or those whose properties are all required. */
export type Kind = 'any' | 'closed' | 'required';

function objectOf(shape: fc.Arbitrary<Shape>, kind: Kind): fc.Arbitrary<Shape> {
  const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'items', 'type', 'enum', '$ref', 'properties'), {
    minLength: 1,
    maxLength: 3,
  });
  const member = fc.record({ shape, isRequired: kind === 'required' ? fc.constant(true) : fc.boolean() });
  return fc
    .tuple(names, fc.array(member, { minLength: 3, maxLength: 3 }), fc.boolean())
    .map(([keys, members, isClosed]) => {
      const all = keys.flatMap((key, index) => (members[index] ? [{ key, ...members[index] }] : []));
      const required = all.filter(({ isRequired }) => isRequired).map(({ key }) => key);
      const properties = Object.fromEntries(all.map(({ key, shape: { schema } }) => [key, schema]));
      const values = Object.fromEntries(all.map(({ key, shape: { values: own } }) => [key, own]));
      return {
        schema: { type: 'object', properties, required, ...(isClosed && { additionalProperties: false }) },
        values: fc.record(values, { requiredKeys: required, noNullPrototype: true }) as fc.Arbitrary<JsonValue>,
      };
    });
}

function within(named: Readonly<Record<string, Shape>>, kind: Kind): fc.Arbitrary<Shape> {
  const references = Object.entries(named).map(([name, { values }]) =>
    fc
      .constantFrom<JsonObject>({}, { description: 'd' })
      .map((any) => ({ schema: { $ref: `#/$defs/${name}`, ...any }, values })),
  );
  const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
    shape: fc.oneof(
      { maxDepth: 3 },
      { arbitrary: fc.oneof(plain(), ...references), weight: 5 },
      { arbitrary: objectOf(tie('shape'), kind), weight: 3 },
      {
        arbitrary: fc.tuple(tie('shape'), beside('array')).map(([{ schema, values }, [own, any]]) => ({
          schema: { type: 'array', items: schema, ...own, ...any },
          values: fc.array(values, { maxLength: 3 }),
        })),
        weight: 2,
      },
      {
        arbitrary: fc
          .tuple(tie('shape'), tie('shape'), fc.constantFrom('anyOf', 'oneOf'))
          .map(([one, other, word]) => ({
            schema: { [word]: [one.schema, other.schema] },
            values: fc.oneof(one.values, other.values),
          })),
        weight: 1,
      },
      ...(kind === 'any' ? [{ arbitrary: open(tie('shape')), weight: 1 }] : []),
    ),
  }));
  return shape;
}

/** Schemas of answers, each with an arbitrary of values that have its structure. */
export function anySchema(kind: Kind): fc.Arbitrary<Shape> {
  const named = objectOf(plain(), kind).chain((first) =>
    within({ A: first }, kind === 'any' ? 'closed' : kind).map((second) => ({ A: first, B: second })),
  );
  return named.chain((all) => {
    const $defs = Object.fromEntries(Object.entries(all).map(([name, { schema }]) => [name, schema]));
    return objectOf(within(all, kind), kind).map(({ schema, values }) => ({ schema: { ...schema, $defs }, values }));
  });
}

/** Whether a value fits a schema, by the check that a run's answer is judged by. */
export function fits(schema: JsonObject, value: JsonValue): boolean {
  return createJsonSchemaCheck(schema)(value as JsonObject).length === 0;
}

/** A value with one thing in it changed: a property more or less, or another value in some place. */
export function mutated(value: JsonValue): fc.Arbitrary<JsonValue> {
  const other = fc.constantFrom<JsonValue>(null, 'b', 3, true, [], {}, ['a'], { a: 'a' });
  if (Array.isArray(value)) {
    const items = value.map((item, at) => mutated(item).map((changed) => value.with(at, changed)));
    return fc.oneof(
      other,
      other.map((item) => [...value, item]),
      ...items,
    );
  }
  if (typeof value !== 'object' || value === null) return other;
  const entries = Object.entries(value);
  const without = entries.map(([name]) => fc.constant(Object.fromEntries(entries.filter(([key]) => key !== name))));
  const changed = entries.map(([name, own]) => mutated(own).map((inner) => ({ ...value, [name]: inner })));
  return fc.oneof(
    other,
    other.map((own) => ({ ...value, more: own })),
    ...without,
    ...changed,
  );
}
