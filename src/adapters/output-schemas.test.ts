// What providers are sent for the schemas of real users: real SDKs against fakes that refuse what the services refuse.

import { describe, expect, it } from 'vitest';
import { type Asked, OUTPUT_SCHEMAS, outputOf } from '../../test/adapters/output-schemas.ts';
import { KEY, WIRES } from '../../test/adapters/wires.ts';
import { type Json, startWireFake } from '../../test/fake-openai-api/wire-fake.ts';
import type { JsonObject } from '../protocol/messages.ts';
import { createJsonSchemaCheck } from '../tools/json-schema.ts';

const LOOK = { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: {} } };

/** Where each wire has the schema, and whether it is held to by guarantee. */
function sent(body: Json): { schema?: JsonObject; strict?: boolean } {
  const { output_config: config, text, generationConfig, response_format: format } = body as Record<string, Json>;
  const held = config?.['format'] ?? text?.['format'] ?? format?.['json_schema'];
  return (held ?? { schema: generationConfig?.['responseJsonSchema'] }) as { schema?: JsonObject; strict?: boolean };
}

function askedBy(body: Json): Asked {
  const { schema, strict } = sent(body);
  if (JSON.stringify(body).includes('It must fit this JSON Schema')) return 'words';
  expect(schema).toBeDefined();
  return strict === true ? 'strict' : 'schema';
}

describe.each(WIRES)('$name', (under) => {
  it.each(OUTPUT_SCHEMAS)('takes $name', async ({ schema, fits, ...asked }) => {
    const output = outputOf(schema);
    const fake = await startWireFake(under.wire, { sse: under.stream([{ text: JSON.stringify(fits) }], 'stop') });
    const adapter = under.create(fake.url, KEY);
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }];
    const request = {
      model: 'model-3',
      instructions: 'Be brief.',
      tools: [LOOK],
      messages,
      maxOutputTokens: 100,
      output,
    };
    const events = [];
    for await (const event of adapter.stream(request, new AbortController().signal)) events.push(event.type);
    await fake.close();
    expect(events.at(-1)).toBe('finished');
    expect(fake.rejections).toEqual([]);
    const body = fake.requests[0]?.body ?? {};
    const others = {
      openai: asked.openai,
      google: asked.google,
      deepseek: 'words',
      'openai-compatible': 'schema',
    } as const;
    expect(askedBy(body)).toBe(others[under.name as keyof typeof others] ?? asked.anthropic);
    // The model can always give the answer that fits.
    const wire = sent(body).schema;
    expect(createJsonSchemaCheck(output)(fits as JsonObject)).toEqual([]);
    expect(wire === undefined ? [] : createJsonSchemaCheck(wire)(fits as JsonObject)).toEqual([]);
  });
});
