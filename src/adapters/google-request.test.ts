import { describe, expect, it } from 'vitest';
import type { Message } from '../protocol/messages.ts';
import { toContents, toGeminiRequest } from './google-request.ts';
import type { ModelRequest } from './model-adapter.ts';

const SCHEMA = { $schema: 'x', type: 'object', $defs: { A: { const: 1 } }, additionalProperties: false };
const REQUEST: ModelRequest = {
  model: 'gemini-3-pro',
  instructions: 'Be brief.',
  tools: [{ name: 't', description: 'T.', input_schema: SCHEMA }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  maxOutputTokens: 100,
};
const PNG = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
const call = (callId: string, name = 't', google?: Record<string, string>) => {
  return {
    type: 'call' as const,
    callId,
    name,
    input: { a: 1 },
    ...(google && { meta: { google: { call: google } } }),
  };
};
const result = (callId: string, text: string) => {
  return { type: 'result' as const, callId, content: [{ type: 'text' as const, text }] };
};

describe('a request', () => {
  it('has the tools’ schemas unchanged, in the field for JSON Schema', () => {
    expect(toGeminiRequest(REQUEST)).toEqual({
      generationConfig: { maxOutputTokens: 100 },
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [{ functionDeclarations: [{ name: 't', description: 'T.', parametersJsonSchema: SCHEMA }] }],
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    });
  });

  it('has the options and the provider’s own tools beside that', () => {
    const generationConfig = { thinkingConfig: { includeThoughts: true }, maxOutputTokens: 5 };
    const modelOptions = { generationConfig, safetySettings: [] };
    const body = toGeminiRequest({ ...REQUEST, tools: [], modelOptions, providerTools: [{ googleSearch: {} }] });
    expect(body).toMatchObject({
      generationConfig: { thinkingConfig: { includeThoughts: true }, maxOutputTokens: 100 },
      safetySettings: [],
      tools: [{ googleSearch: {} }],
    });
  });
});

describe('an answer in a schema', () => {
  const output = { type: 'object' };
  const format = { responseMimeType: 'application/json', responseJsonSchema: output };
  const formatOf = (request: Partial<ModelRequest>) => toGeminiRequest({ ...REQUEST, output, ...request });

  it('is asked for in the field for it', () => {
    expect(formatOf({})['generationConfig']).toEqual({ ...format, maxOutputTokens: 100 });
    expect(formatOf({ model: 'gemini-2.5-pro', tools: [] })['generationConfig']).toMatchObject(format);
  });

  it('is asked for in words the service knows, the others told', () => {
    const schema = {
      type: 'object',
      properties: {
        kind: { type: 'string', const: 'a' },
        size: { enum: ['S', null] },
        n: { type: 'integer', maximum: 9007199254740991, exclusiveMinimum: 0 },
        ref: { $ref: '#/definitions/A', description: 'd' },
        at: { type: 'array', prefixItems: [{ type: 'number' }], items: false, minItems: 1 },
      },
      definitions: { A: { oneOf: [{ type: 'string', format: 'email' }] } },
    };
    expect(toGeminiRequest({ ...REQUEST, output: schema })['generationConfig']).toHaveProperty('responseJsonSchema', {
      type: 'object',
      properties: {
        kind: { type: 'string', enum: ['a'] },
        size: { description: 'As JSON Schema: {"enum":["S",null]}' },
        n: { type: 'integer', description: 'As JSON Schema: {"exclusiveMinimum":0}' },
        ref: { $ref: '#/$defs/A' },
        at: {
          type: 'array',
          prefixItems: [{ type: 'number' }],
          minItems: 1,
          description: 'As JSON Schema: {"items":false}',
        },
      },
      $defs: { A: { anyOf: [{ type: 'string', description: 'As JSON Schema: {"format":"email"}' }] } },
    });
  });

  it('is asked for as JSON, in words, where it refers to itself in what is required', () => {
    const looped = { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] };
    const body = toGeminiRequest({ ...REQUEST, output: looped });
    expect(body['generationConfig']).toEqual({ responseMimeType: 'application/json', maxOutputTokens: 100 });
    expect(JSON.stringify(body['systemInstruction'])).toContain('JSON Schema');
    const open = { ...looped, required: [] };
    expect(toGeminiRequest({ ...REQUEST, output: open })['generationConfig']).toMatchObject({
      responseJsonSchema: open,
    });
  });

  it('is asked for in words where an old model has tools', () => {
    const body = formatOf({ model: 'gemini-2.5-pro' });
    expect(body['generationConfig']).toEqual({ maxOutputTokens: 100 });
    expect(JSON.stringify(body['systemInstruction'])).toMatch(/Be brief.*JSON Schema/);
  });
});

describe('contents', () => {
  it('have what one answer said after another in one, since a call may only follow the user', () => {
    const messages: Message[] = [
      { role: 'assistant', content: [{ type: 'text', text: 'Searching.' }] },
      { role: 'assistant', content: [call('a', 'one')] },
      { role: 'user', content: [result('a', 'x')] },
    ];
    expect(toContents(messages, 'gemini-2.5-pro')).toMatchObject([
      { role: 'model', parts: [{ text: 'Searching.' }, { functionCall: { name: 'one' } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'one' } }] },
    ]);
  });

  it('keep dots in the names of calls, which this service takes, and nothing that it does not', () => {
    const answer: Message = { role: 'assistant', content: [call('a', 'default_api.look'), call('b', 'my tool!')] };
    const results: Message = { role: 'user', content: [result('a', 'x'), result('b', 'y')] };
    const names = /"name":"([^"]*)"/g;
    const found = [...JSON.stringify(toContents([answer, results], 'gemini-3-pro')).matchAll(names)].map(
      ([, name]) => name,
    );
    expect(found).toEqual(['default_api.look', 'my_tool_', 'default_api.look', 'my_tool_']);
  });

  it('answer the calls in their order, by name, before anything else', () => {
    const messages: Message[] = [
      { role: 'assistant', content: [call('a', 'one', { id: 'own' }), call('b', 'two')] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Well?' },
          { ...result('b', 'gone'), isError: true },
          { ...result('a', 'See:'), content: [{ type: 'text', text: 'See:' }, PNG] },
        ],
      },
    ];
    expect(toContents(messages, 'gemini-3-pro').slice(1)).toEqual([
      {
        role: 'user',
        parts: [
          {
            functionResponse: { id: 'own', name: 'one', response: { output: 'See:\n(image image/png, shown below)' } },
          },
          { functionResponse: { name: 'two', response: { error: 'gone' } } },
        ],
      },
      {
        role: 'user',
        parts: [{ text: 'Shown by one:' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }, { text: 'Well?' }],
      },
    ]);
  });

  it.each([
    ['gemini-3-pro', ['skip_thought_signature_validator', undefined]],
    ['models/gemini-4-flash', ['skip_thought_signature_validator', undefined]],
    ['gemini-2.5-pro', [undefined, undefined]],
  ])('for %s mark the first call of an answer that has no signature: %j', (model, signatures) => {
    const [content] = toContents([{ role: 'assistant', content: [call('a'), call('b')] }], model);
    const parts = content?.['parts'] as readonly { thoughtSignature?: string }[];
    expect(parts.map(({ thoughtSignature }) => thoughtSignature)).toEqual(signatures);
  });

  it('hold nothing of another provider, and nothing that is empty', () => {
    const opaque = { type: 'opaque' as const, provider: 'openai', value: { type: 'reasoning' } };
    const blank = { type: 'text' as const, text: ' ' };
    const messages: Message[] = [
      { role: 'assistant', content: [opaque, blank] },
      { role: 'user', content: [blank] },
    ];
    expect(toContents(messages, 'gemini-3-pro')).toEqual([]);
  });
});
