import { describe, expect, test } from 'vitest';
import type { Json } from '../fake-openai-api/wire-fake.ts';
import { geminiWire } from './gemini.ts';

const PATH = '/v1beta/models/gemini-3-pro:streamGenerateContent';
const OLD_PATH = '/v1beta/models/gemini-2.5-pro:streamGenerateContent';
const SIGNED = { thoughtSignature: 'c2ln' };
const SKIPPED = { thoughtSignature: 'skip_thought_signature_validator' };

const user = (...parts: readonly Json[]): Json => ({ role: 'user', parts });
const model = (...parts: readonly Json[]): Json => ({ role: 'model', parts });
const call = (name = 'look', more: Json = {}): Json => ({ functionCall: { name, args: {} }, ...more });
const response = (name = 'look', more: Json = {}): Json => ({ functionResponse: { name, response: {}, ...more } });
const HI = user({ text: 'hi' });
const SENT = { candidates: [{ content: { parts: [call('look', SIGNED), call()] } }] };

function complaint(contents: readonly Json[], path = PATH, more: Json = {}): string | undefined {
  return geminiWire.complaintAbout({ contents, ...more }, [SENT], path);
}

describe('Gemini', () => {
  test('takes what is right', () => {
    const tools = [
      {
        functionDeclarations: [
          { name: 'a', parametersJsonSchema: { $ref: 'x' } },
          { name: 'b', parameters: { type: 'OBJECT' } },
        ],
      },
    ];
    expect(
      complaint([HI, model(call('look', SIGNED), call()), user(response(), response()), HI], PATH, { tools }),
    ).toBeUndefined();
    expect(complaint([HI, model(call('look', SKIPPED)), user(response())])).toBeUndefined();
    expect(complaint([HI, model(call()), user(response())], OLD_PATH)).toBeUndefined();
  });

  test.each<[complaint: string, contents: readonly Json[]]>([
    ['not specified', []],
    ['not the user’s', [model({ text: 'a' })]],
    ['valid role', [HI, { role: 'assistant', parts: [{ text: 'a' }] }]],
    ['at least one parts', [user()]],
    ['text is empty', [user({ text: '' })]],
    ['function_call.name', [HI, model(call('')), user(response(''))]],
    ['function_call.args', [HI, model({ functionCall: { name: 'a', args: [] } }), user(response('a'))]],
    ['function_response.name', [HI, model(call('look', SKIPPED)), user(response(''))]],
    ['function_response.response', [HI, model(call('look', SKIPPED)), user(response('look', { response: 'ok' }))]],
    ['number of function response parts', [HI, model(call('look', SKIPPED), call()), user(response())]],
    ['number of function response parts', [HI, model({ text: 'a' }), user(response())]],
    ['beside other parts', [HI, model(call('look', SKIPPED)), user(response(), { text: 'a' })]],
    ['beside other parts', [HI, model(call('look', SKIPPED)), HI]],
    ['do not follow', [HI, model(call('a', SKIPPED), call('b')), user(response('b'), response('a'))]],
    ['do not follow', [HI, model(call('a', SKIPPED)), user(response('a', { id: 'x' }))]],
    ['without a call', [user(response())]],
    ['missing a thought_signature', [HI, model(call()), user(response())]],
    ['not valid', [HI, model(call('look', SIGNED)), user(response())]],
  ])('refuses: %s', (words, contents) => {
    expect(complaint(contents)).toContain(words);
  });

  test.each<[complaint: string, declaration: Json]>([
    ['Invalid function name', { name: 'a.b' }],
    ['two schemas', { name: 'a', parameters: {}, parametersJsonSchema: {} }],
    ['Unknown name', { name: 'a', parameters: { $ref: 'x' } }],
  ])('refuses a tool: %s', (words, declaration) => {
    expect(complaint([HI], PATH, { tools: [{ functionDeclarations: [declaration] }] })).toContain(words);
  });

  test('takes the schema of an answer, words that it does not know too', () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/A' }, b: { $ref: '#' }, c: { type: ['string', 'null'], pattern: 'x' } },
      required: ['a', 'c'],
      $defs: { A: { enum: ['a', 1] } },
    };
    const generationConfig = { responseMimeType: 'application/json', responseJsonSchema: schema };
    expect(complaint([HI], PATH, { generationConfig })).toBeUndefined();
    expect(complaint([HI], PATH, { generationConfig: { responseJsonSchema: schema } })).toContain('response_mime_type');
  });

  test.each<[complaint: string, a: unknown, more?: Json]>([
    ['alongside unsupported fields: description', { $ref: '#/$defs/A', description: 'd' }, { $defs: { A: {} } }],
    ['cannot be resolved', { $ref: '#/definitions/A' }, { definitions: { A: {} } }],
    ['ref loop of required fields', { $ref: '#' }, { required: ['a'] }],
    ['ref loop of required fields', { items: { anyOf: [{ $ref: '#' }] } }, { required: ['a'] }],
    ['only strings and numbers', { enum: ['a', null] }],
    ['unknown type', { type: 'date' }],
  ])('refuses the schema of an answer: %s', (words, a, more = {}) => {
    const responseJsonSchema = { type: 'object', properties: { a }, ...more };
    const generationConfig = { responseMimeType: 'application/json', responseJsonSchema };
    expect(complaint([HI], PATH, { generationConfig })).toContain(words);
  });

  test('refuses JSON beside functions from old models', () => {
    const more = { generationConfig: { responseMimeType: 'application/json' }, tools: [{ functionDeclarations: [] }] };
    expect(complaint([HI], OLD_PATH, more)).toContain('unsupported');
    expect(complaint([HI], PATH, more)).toBeUndefined();
  });
});
