// Laws of the schemas that services are sent, over random schemas and values.

import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anySchema, fits, mutated } from '../../test/adapters/any-schema.ts';
import { outputSchemaComplaint as geminiComplaint } from '../../test/fake-google-api/output-schema-rule.ts';
import { outputSchemaCompiles } from '../../test/fake-model-api/output-schema-rule.ts';
import { outputSchemaComplaint as openAiComplaint } from '../../test/fake-openai-api/output-schema-rule.ts';
import type { JsonObject, JsonValue } from '../protocol/messages.ts';
import { toAnthropicSchema } from './anthropic-output-schema.ts';
import { toGeminiSchema } from './google-output-schema.ts';
import { toStrictSchema } from './openai-strict-schema.ts';
import { mapSchema } from './schema-tree.ts';

/** Ajv compiles two or three schemas a run. */
const COMPILED = { numRuns: 50 };
const RUNS = { numRuns: 200 };
const NARROWING = [
  'minLength',
  'pattern',
  'format',
  'minimum',
  'exclusiveMinimum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
];

const SERVICES = [
  {
    name: 'Anthropic',
    isTold: undefined,
    kind: 'closed' as const,
    toWire: toAnthropicSchema,
    complaint: (schema: JsonObject) => {
      const request = {
        model: '',
        max_tokens: 1,
        messages: [],
        output_config: { format: { type: 'json_schema', schema } },
      };
      return outputSchemaCompiles(request, { sent: [] });
    },
  },
  {
    name: 'OpenAI',
    isTold: undefined,
    kind: 'required' as const,
    toWire: toStrictSchema,
    complaint: (schema: JsonObject) => openAiComplaint({ name: 'output', schema, strict: true }),
  },
  {
    name: 'Gemini',
    // Its lists are of texts and numbers.
    isTold: (word: string, value: JsonValue) => word === 'enum' && Array.isArray(value) && value.includes(null),
    kind: 'closed' as const,
    toWire: toGeminiSchema,
    complaint: (schema: JsonObject) =>
      geminiComplaint({ responseMimeType: 'application/json', responseJsonSchema: schema }),
  },
];

/** The structure that a schema asks for: what it says without the words that narrow values, and those that are only told. */
function structureOf(
  schema: JsonObject,
  isTold: (word: string, value: JsonValue) => boolean = () => false,
): JsonObject {
  return mapSchema(schema, ({ oneOf, ...node }) => {
    const words = Object.entries(node).filter(([word, value]) => !NARROWING.includes(word) && !isTold(word, value));
    return { ...Object.fromEntries(words), ...(oneOf !== undefined && { anyOf: oneOf }) };
  });
}

describe.each(SERVICES)('the schema for $name', ({ kind, toWire, complaint, isTold }) => {
  it('is one that the service takes', () => {
    let said = 0;
    const law = fc.property(fc.oneof(anySchema('any'), anySchema(kind)), ({ schema }) => {
      const wire = toWire(schema);
      if (wire === undefined) return;
      said++;
      expect(complaint(wire)).toBeUndefined();
    });
    fc.assert(law, RUNS);
    expect(said).toBeGreaterThan(10);
  });

  it('is fitted by every answer of named properties that fits the whole schema', () => {
    const pairs = anySchema(kind).chain(({ schema, values }) => values.map((value) => ({ schema, value })));
    const law = fc.property(pairs, ({ schema, value }) => {
      const wire = toWire(schema);
      fc.pre(wire !== undefined && fits(schema, value));
      expect(fits(wire as JsonObject, value)).toBe(true);
    });
    fc.assert(law, COMPILED);
  });

  it('is fitted by no answer of another structure', () => {
    const near = anySchema(kind).chain(({ schema, values }) =>
      values
        .chain((value) => fc.oneof(fc.constant(value), mutated(value)))
        .map((value: JsonValue) => ({ schema, value })),
    );
    const law = fc.property(near, ({ schema, value }) => {
      const wire = toWire(schema);
      fc.pre(wire !== undefined && fits(wire, value));
      expect(fits(structureOf(schema, isTold), value)).toBe(true);
    });
    fc.assert(law, COMPILED);
  });
});

it('Anthropic’s own helper finds nothing left to change', () => {
  const law = fc.property(anySchema('closed'), ({ schema }) => {
    const wire = toAnthropicSchema(schema);
    fc.pre(wire !== undefined);
    expect(jsonSchemaOutputFormat(wire as { type: 'object' } & JsonObject).schema).toEqual(wire);
  });
  fc.assert(law, RUNS);
});
