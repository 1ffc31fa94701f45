import { describe, expect, it } from 'vitest';
import type { JsonObject, Message, ResultBlock } from '../protocol/messages.ts';
import { toWireMessages, toWireRequest } from './anthropic-request.ts';
import type { ModelRequest } from './model-adapter.ts';

const MARK = { cache_control: { type: 'ephemeral' } };
const text = (value: string) => ({ type: 'text' as const, text: value });
const user = (...content: Extract<Message, { role: 'user' }>['content']): Message => ({ role: 'user', content });
const assistant = (...content: Extract<Message, { role: 'assistant' }>['content']): Message => ({
  role: 'assistant',
  content,
});
const call = (callId: string) => ({ type: 'call' as const, callId, name: 't', input: {} });
const result = (callId: string, more: Partial<ResultBlock> = {}): ResultBlock => ({
  type: 'result',
  callId,
  content: [text('ok')],
  ...more,
});
const opaque = (value: { type: string; [field: string]: string }, provider = 'anthropic') => ({
  type: 'opaque' as const,
  provider,
  value,
});

function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'claude-x',
    instructions: '',
    tools: [],
    messages: [user(text('hi'))],
    maxOutputTokens: 64_000,
    ...more,
  };
}

describe('toWireRequest', () => {
  it('is a streaming request without what is empty', () => {
    expect(JSON.parse(JSON.stringify(toWireRequest(request())))).toEqual({
      model: 'claude-x',
      max_tokens: 64_000,
      stream: true,
      messages: [{ role: 'user', content: [{ ...text('hi'), ...MARK }] }],
    });
  });

  it('has instructions as system text, then our tools, then the provider’s own', () => {
    const spec = { name: 'add', description: 'Adds.', input_schema: { type: 'object' } };
    const own = { type: 'web_search_20250305', name: 'web_search' };
    const body = toWireRequest(request({ instructions: 'Be good.', tools: [spec], providerTools: [own] }));
    expect(body.system).toEqual([{ ...text('Be good.'), ...MARK }]);
    expect(body.tools).toEqual([spec, { ...own, ...MARK }]);
  });

  it('merges model options, which replace nothing of its own', () => {
    const modelOptions = {
      thinking: { type: 'adaptive' },
      model: 'x',
      messages: [],
      stream: false,
      tools: [],
      max_tokens: 1,
    };
    expect(toWireRequest(request({ modelOptions }))).toMatchObject({
      thinking: { type: 'adaptive' },
      model: 'claude-x',
      max_tokens: 64_000,
      stream: true,
      tools: undefined,
      messages: [{ role: 'user' }],
    });
  });

  it('leaves room for a mark that the options ask for', () => {
    const messages = [user(text('1')), assistant(text('2')), user(text('3'))];
    const tools = [{ name: 'add', description: '', input_schema: {} }];
    const modelOptions = { cache_control: { type: 'ephemeral' } };
    const body = toWireRequest(request({ instructions: 's', messages, tools, modelOptions }));
    expect(JSON.stringify(body).split('cache_control').length - 1).toBe(4);
  });

  it('is well-formed Unicode even where a text is not', () => {
    expect(JSON.stringify(toWireRequest(request({ instructions: 'a\ud83d' })))).not.toContain('\\ud83d');
  });
});

describe('thinking with a forced tool', () => {
  const thinking = { type: 'enabled', budget_tokens: 1_024 };

  it.each<JsonObject>([{ type: 'any' }, { type: 'tool', name: 'look' }])(
    'is refused before any request: %j',
    (tool_choice) => {
      const forced = () => toWireRequest(request({ modelOptions: { thinking, tool_choice } }));
      expect(forced).toThrow(expect.objectContaining({ kind: 'invalid_request', retryable: false }));
    },
  );

  it('is fine where the model may choose, or thinks as it likes', () => {
    const wire = toWireRequest(request({ modelOptions: { thinking, tool_choice: { type: 'auto' } } }));
    expect(wire).toMatchObject({ thinking });
    const adaptive = { thinking: { type: 'adaptive' }, tool_choice: { type: 'any' } };
    expect(toWireRequest(request({ modelOptions: adaptive }))).toMatchObject(adaptive);
  });
});

describe('toWireMessages', () => {
  it('sends results first, in their order, and marks only errors', () => {
    const messages = [
      assistant(call('a'), call('b')),
      user(text('and'), result('a'), result('b', { isError: true }), result('c', { isError: false })),
    ];
    expect(toWireMessages(messages)[1]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: [text('ok')] },
      { type: 'tool_result', tool_use_id: 'b', content: [text('ok')], is_error: true },
      { type: 'tool_result', tool_use_id: 'c', content: [text('ok')] },
      text('and'),
    ]);
  });

  it('gives a result without text something to say', () => {
    const content = toWireMessages([assistant(call('a')), user(result('a', { content: [text(' ')] }))])[1]?.content;
    expect(content).toEqual([{ type: 'tool_result', tool_use_id: 'a', content: [text('(no output)')] }]);
  });

  it('carries images and documents, in results too', () => {
    const image = { type: 'image' as const, mediaType: 'image/png', data: 'aGk=' };
    const pdf = { type: 'document' as const, mediaType: 'application/pdf', data: 'aGk=', title: 'T' };
    const note = { type: 'document' as const, mediaType: 'text/plain', data: 'hi' };
    const wireImage = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } };
    const wire = toWireMessages([assistant(call('a')), user(result('a', { content: [image] }), pdf, note)])[1]?.content;
    expect(wire).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: [wireImage] },
      { type: 'document', title: 'T', source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hi' } },
    ]);
  });

  it('shows no block of another provider, and no message that is empty without it', () => {
    const messages = [
      user(text('1')),
      assistant(opaque({ type: 'reasoning' }, 'openai')),
      user(text(''), text('2')),
      assistant(opaque({ type: 'reasoning' }, 'openai'), text('3')),
    ];
    expect(toWireMessages(messages)).toEqual([
      { role: 'user', content: [text('1'), text('2')] },
      { role: 'assistant', content: [text('3')] },
    ]);
  });

  it('names the calls of another provider legally, the same in call and result', () => {
    const [, asked, answered] = toWireMessages([user(text('1')), assistant(call('call:1')), user(result('call:1'))]);
    expect(asked?.content[0]?.['id']).toBe('call_3a1');
    expect(answered?.content[0]?.['tool_use_id']).toBe('call_3a1');
  });
});

describe('a server-side call', () => {
  const open = opaque({ type: 'server_tool_use', id: 'srv1', name: 'web_search' });
  const answer = opaque({ type: 'web_search_tool_result', tool_use_id: 'srv1' });
  const kept = (messages: Message[]) => JSON.stringify(toWireMessages(messages)).includes('server_tool_use');

  it('stays open at the end of a paused conversation, which is sent as it is', () => {
    const messages = [user(text('1')), assistant(text('Searching.'), open)];
    expect(toWireMessages(messages)[1]).toEqual({ role: 'assistant', content: [text('Searching.'), open.value] });
  });

  it('stays open while the results of client tools come back', () => {
    expect(kept([user(text('1')), assistant(open, call('a')), user(result('a'))])).toBe(true);
  });

  it('is kept with a result that came in a later answer', () => {
    const paused = [user(text('1')), assistant(open), assistant(answer, text('2')), user(text('3'))];
    expect(toWireMessages(paused).map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
    expect(kept(paused)).toBe(true);
    expect(
      kept([user(text('1')), assistant(open, call('a')), user(result('a')), assistant(answer), user(text('3'))]),
    ).toBe(true);
  });

  it('is left out where nobody will answer it any more', () => {
    expect(kept([user(text('1')), assistant(text('2'), open), user(text('3'))])).toBe(false);
    expect(kept([user(text('1')), assistant(open, call('a')), user(result('a'), text('more'))])).toBe(false);
  });
});
