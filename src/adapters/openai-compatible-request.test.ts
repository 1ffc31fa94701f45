import { describe, expect, it } from 'vitest';
import type { Message } from '../protocol/messages.ts';
import type { ModelRequest } from './model-adapter.ts';
import { toChatMessages, toChatRequest } from './openai-compatible-request.ts';

const REQUEST: ModelRequest = {
  model: 'm',
  instructions: 'Be brief.',
  tools: [{ name: 't', description: 'T.', input_schema: { type: 'object' } }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  maxOutputTokens: 100,
};
const PNG = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
const call = (callId: string) => ({ type: 'call' as const, callId, name: 't', input: { a: 1 } });

describe('a request', () => {
  it('has what every server of this wire takes', () => {
    const parameters = { type: 'object', properties: {} };
    expect(toChatRequest(REQUEST, 'some')).toEqual({
      model: 'm',
      max_tokens: 100,
      stream: true,
      stream_options: { include_usage: true },
      tools: [{ type: 'function', function: { name: 't', description: 'T.', parameters } }],
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
    });
  });

  it('takes options in the place of what a server does not know', () => {
    const modelOptions = { max_completion_tokens: 50, stream_options: { include_usage: false }, model: 'other' };
    const body = toChatRequest({ ...REQUEST, modelOptions }, 'some');
    expect(body).toMatchObject({ model: 'm', max_completion_tokens: 50, stream_options: { include_usage: false } });
    expect(body).not.toHaveProperty('max_tokens');
  });

  it('with more tools than the wire takes is refused before it is sent', () => {
    const tools = Array.from({ length: 129 }, (_, n) => ({ name: `t${n}`, description: '', input_schema: {} }));
    expect(() => toChatRequest({ ...REQUEST, tools }, 'some')).toThrow(
      expect.objectContaining({ kind: 'invalid_request', retryable: false }),
    );
  });
});

describe('an answer in a schema', () => {
  const request = { ...REQUEST, output: { type: 'object' } };

  it('is asked for by name', () => {
    expect(toChatRequest(request, 'some')['response_format']).toEqual({
      type: 'json_schema',
      json_schema: { name: 'output', schema: { type: 'object' }, strict: false },
    });
  });

  it('is asked for in words where the service knows no schemas', () => {
    const body = toChatRequest({ ...request, instructions: '' }, 'deepseek');
    expect(body['response_format']).toEqual({ type: 'json_object' });
    expect(JSON.stringify(body['messages'])).toContain('JSON Schema');
  });
});

describe('messages', () => {
  it('give each result a message of its own, and show its pictures as the user’s', () => {
    const messages: Message[] = [
      { role: 'assistant', content: [call('a'), call('b')] },
      {
        role: 'user',
        content: [
          { type: 'result', callId: 'a', content: [{ type: 'text', text: 'See:' }, PNG] },
          { type: 'result', callId: 'b', content: [{ type: 'text', text: 'gone' }], isError: true },
          { type: 'text', text: 'Well?' },
        ],
      },
    ];
    expect(toChatMessages(messages, 'some').slice(1)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'See:\n(image image/png, shown below)' },
      { role: 'tool', tool_call_id: 'b', content: 'Error: gone' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Shown by call a:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'text', text: 'Well?' },
        ],
      },
    ]);
  });

  it('keep ids within 40 characters, the same in call and result', () => {
    const long = 'fc_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef';
    const [asked, answered] = toChatMessages(
      [
        { role: 'assistant', content: [call(long)] },
        { role: 'user', content: [{ type: 'result', callId: long, content: [] }] },
      ],
      'some',
    );
    expect(String(answered?.['tool_call_id'])).toMatch(/^[\w-]{1,40}$/);
    expect(asked?.['tool_calls']).toMatchObject([{ id: answered?.['tool_call_id'] }]);
  });

  it('give a service that wants reasoning with each call an empty one for a call of another model', () => {
    const foreign: Message[] = [{ role: 'assistant', content: [call('a')] }];
    expect(toChatMessages(foreign, 'deepseek')).toMatchObject([{ reasoning_content: '' }]);
    expect(toChatMessages(foreign, 'some')[0]).not.toHaveProperty('reasoning_content');
    const said: Message[] = [{ role: 'assistant', content: [{ type: 'text', text: 'a' }] }];
    expect(toChatMessages(said, 'deepseek')[0]).not.toHaveProperty('reasoning_content');
  });

  it('hold nothing that is empty', () => {
    const opaque = { type: 'opaque' as const, provider: 'some', value: { reasoning_content: 'hm' } };
    const silent: Message[] = [
      { role: 'assistant', content: [opaque, { type: 'text', text: ' ' }] },
      { role: 'user', content: [{ type: 'text', text: ' ' }] },
    ];
    expect(toChatMessages(silent, 'some')).toEqual([]);
  });
});
