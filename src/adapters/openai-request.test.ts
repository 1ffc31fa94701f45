import { describe, expect, it } from 'vitest';
import type { JsonObject, Message } from '../protocol/messages.ts';
import type { ModelRequest } from './model-adapter.ts';
import { toInputItems, toResponsesRequest } from './openai-request.ts';

const REQUEST: ModelRequest = {
  model: 'gpt-5',
  instructions: 'Be brief.',
  tools: [{ name: 't', description: 'T.', input_schema: { type: 'object' } }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  maxOutputTokens: 100,
};
const call = (callId: string) => ({ type: 'call' as const, callId, name: 't', input: { a: 1 } });
const PNG = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
const PDF = { type: 'document', mediaType: 'application/pdf', data: 'BBBB' } as const;
const NOTE = { type: 'document', mediaType: 'text/plain', data: 'words', title: 'a.txt' } as const;

describe('a request', () => {
  it('holds the whole conversation and leaves nothing at the provider', () => {
    expect(toResponsesRequest(REQUEST)).toEqual({
      model: 'gpt-5',
      max_output_tokens: 100,
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      instructions: 'Be brief.',
      tools: [
        {
          type: 'function',
          name: 't',
          description: 'T.',
          parameters: { type: 'object', properties: {} },
          strict: false,
        },
      ],
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
    });
  });

  it('has the options and the provider’s own tools beside that', () => {
    const modelOptions = { reasoning: { effort: 'low' }, store: true, include: ['file_search_call.results'] };
    const body = toResponsesRequest({ ...REQUEST, modelOptions, providerTools: [{ type: 'web_search' }] });
    expect(body).toMatchObject({ reasoning: { effort: 'low' }, store: false });
    expect(body['include']).toEqual(['file_search_call.results', 'reasoning.encrypted_content']);
    expect(body['tools']).toHaveLength(2);
  });

  it('for an answer in a schema says so', () => {
    const body = toResponsesRequest({
      ...REQUEST,
      output: { type: 'object' },
      modelOptions: { text: { verbosity: 'low' } },
    });
    const format = { type: 'json_schema', name: 'output', schema: { type: 'object' }, strict: false };
    expect(body['text']).toEqual({ verbosity: 'low', format });
  });

  it.each([
    ['gpt-5', true],
    ['ft:gpt-4o:x', false],
  ])('guarantees a schema where the service can (%s)', (model, strict) => {
    const output = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] };
    const body = toResponsesRequest({ ...REQUEST, model, output });
    const schema = strict ? { ...output, additionalProperties: false } : output;
    expect(body['text']).toMatchObject({ format: { schema, strict } });
  });

  it.each(['gpt-4.1', 'gpt-4o-mini', 'ft:gpt-4o:x', 'gpt-5-chat-latest'])('asks %s for no reasoning', (model) => {
    expect(toResponsesRequest({ ...REQUEST, model })).not.toHaveProperty('include');
  });

  it('leaves out what is empty', () => {
    const body = toResponsesRequest({ ...REQUEST, instructions: ' ', tools: [] });
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['tools']));
    expect(body).not.toHaveProperty('instructions');
  });

  it('with more tools than the service takes is refused before it is sent', () => {
    const tools = Array.from({ length: 129 }, (_, n) => ({ name: `t${n}`, description: '', input_schema: {} }));
    expect(() => toResponsesRequest({ ...REQUEST, tools })).toThrow(
      expect.objectContaining({ kind: 'invalid_request', retryable: false, message: expect.stringContaining('129') }),
    );
  });
});

describe('messages', () => {
  it('become items: results first, what the user says after them', () => {
    const messages: Message[] = [
      { role: 'assistant', content: [{ type: 'text', text: 'Hm.' }, call('a'), call('b')] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'and' },
          { type: 'result', callId: 'b', content: [{ type: 'text', text: 'gone' }], isError: true },
          { type: 'result', callId: 'a', content: [] },
        ],
      },
    ];
    expect(toInputItems(messages)).toEqual([
      { role: 'assistant', content: 'Hm.' },
      { type: 'function_call', call_id: 'a', name: 't', arguments: '{"a":1}' },
      { type: 'function_call', call_id: 'b', name: 't', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'b', output: 'Error: gone' },
      { type: 'function_call_output', call_id: 'a', output: '(no output)' },
      { role: 'user', content: [{ type: 'input_text', text: 'and' }] },
    ]);
  });

  it('show pictures and files, from users and from tools', () => {
    const result = { type: 'result', callId: 'a', content: [{ type: 'text', text: 'See:' }, PNG, NOTE] } as const;
    const [output, said] = toInputItems([{ role: 'user', content: [result, PDF, NOTE] }]);
    expect(output?.['output']).toEqual([
      { type: 'input_text', text: 'See:\n(image image/png, shown below)\na.txt\nwords' },
      { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' },
    ]);
    expect(said?.['content']).toEqual([
      { type: 'input_file', filename: 'document.pdf', file_data: 'data:application/pdf;base64,BBBB' },
      { type: 'input_text', text: 'a.txt\nwords' },
    ]);
  });

  it('name calls legally, the same in call and result', () => {
    const long = `call:${'x'.repeat(80)}`;
    const [asked, answered] = toInputItems([
      { role: 'assistant', content: [call(long)] },
      { role: 'user', content: [{ type: 'result', callId: long, content: [] }] },
    ]);
    expect(String(asked?.['call_id'])).toMatch(/^[\w-]{1,64}$/);
    expect(answered?.['call_id']).toBe(asked?.['call_id']);
  });

  it('of a call that was no JSON show an empty input', () => {
    const malformed = { ...call('a'), input: {}, malformed: '{"a' };
    const [asked] = toInputItems([{ role: 'assistant', content: [malformed] }]);
    expect(asked?.['arguments']).toBe('{}');
  });

  it('hold nothing of another provider, and nothing that is blank', () => {
    const opaque = { type: 'opaque' as const, provider: 'anthropic', value: { type: 'thinking' } as JsonObject };
    const blank = { type: 'text' as const, text: ' ' };
    const assistant: Message = { role: 'assistant', content: [opaque, blank, PNG] };
    expect(toInputItems([assistant, { role: 'user', content: [opaque, blank] }])).toEqual([]);
  });
});
