// Tools of the provider's own on Chat Completions, against strict fakes and with the real SDK.

import { afterEach, describe, expect, it } from 'vitest';
import { deepSeekWire } from '../../test/fake-openai-api/chat.ts';
import { openRouterWire } from '../../test/fake-openai-api/openrouter.ts';
import { type Json, startWireFake, type Wire, type WireFake } from '../../test/fake-openai-api/wire-fake.ts';
import type { JsonObject, Message } from '../protocol/messages.ts';
import type { ModelEvent, ModelRequest } from './model-adapter.ts';
import { createOpenAiCompatibleAdapter } from './openai-compatible.ts';

const LOOK = { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: { q: {} } } };
const ASKED: Message = { role: 'user', content: [{ type: 'text', text: 'What is new?' }] };
const LOOKED: Message = {
  role: 'user',
  content: [{ type: 'result', callId: 'call_a', content: [{ type: 'text', text: 'Seen.' }] }],
};
const SEARCH = { type: 'openrouter:web_search', parameters: { max_results: 3, allowed_domains: ['example.com'] } };
/** A function whose arguments the service itself holds to the schema, which Pawl does not ask for. */
const STRICT = {
  type: 'function',
  function: { name: 'note', strict: true, parameters: { type: 'object', properties: { q: { type: 'string' } } } },
};

let fake: WireFake;

afterEach(() => fake.close());

function completion(message: Json, finish_reason: string): Json {
  const choice = { index: 0, finish_reason, message: { role: 'assistant', ...message } };
  return { id: 'c', object: 'chat.completion', model: 'm', choices: [choice] };
}

function calling(id: string, name: string): Json {
  return { tool_calls: [{ id, type: 'function', function: { name, arguments: '{"q":"a"}' } }] };
}

async function start(wire: Wire, ...answers: readonly Json[]): Promise<void> {
  fake = await startWireFake(wire, ...answers.map((body) => ({ status: 200, body })));
}

async function ask(provider: string, tools: readonly JsonObject[], messages: readonly Message[]) {
  const adapter = createOpenAiCompatibleAdapter({ provider, baseUrl: `${fake.url}/v1`, apiKey: 'k' });
  const common = { model: 'm', instructions: 'Be brief.', tools: [LOOK], maxOutputTokens: 100 };
  const request: ModelRequest = { ...common, messages, providerTools: tools };
  const events: ModelEvent[] = [];
  for await (const event of adapter.stream(request, new AbortController().signal)) events.push(event);
  const finished = events.at(-1);
  return finished?.type === 'finished' ? finished : expect.fail('the answer is not finished');
}

const toolsOf = (request: number) => fake.requests[request]?.body['tools'] as readonly Json[];
const messagesOf = (request: number) => fake.requests[request]?.body['messages'] as readonly Json[];

describe('a tool that the service runs itself', () => {
  const citation = { url: 'https://example.com/a', title: 'A', content: 'Seen.', start_index: 0, end_index: 4 };
  const searched = {
    content: 'News. I look closer.',
    reasoning: 'One search.',
    annotations: [{ type: 'url_citation', url_citation: citation }],
    ...calling('call_a', 'look'),
  };

  it('is sent as it is given, after the tools of the agent', async () => {
    await start(openRouterWire, completion({ content: 'News.' }, 'stop'));
    await ask('openrouter', [SEARCH], [ASKED]);
    expect(fake.rejections).toEqual([]);
    expect(toolsOf(0).map(({ type }) => type)).toEqual(['function', 'openrouter:web_search']);
    expect(toolsOf(0)[1]).toEqual(SEARCH);
  });

  it('leaves a text without its citations, and the calls of the agent’s own tools beside it', async () => {
    await start(openRouterWire, completion(searched, 'tool_calls'));
    const { message, stopReason } = await ask('openrouter', [SEARCH], [ASKED]);
    expect(stopReason).toBe('tool_use');
    expect(message.content).toEqual([
      { type: 'opaque', provider: 'openrouter', value: { reasoning: 'One search.' } },
      { type: 'text', text: 'News. I look closer.' },
      { type: 'call', callId: 'call_a', name: 'look', input: { q: 'a' } },
    ]);
  });

  it('is there again in the next request, which the service takes, and which holds no citation', async () => {
    await start(openRouterWire, completion(searched, 'tool_calls'), completion({ content: 'Done.' }, 'stop'));
    const { message } = await ask('openrouter', [SEARCH], [ASKED]);
    await ask('openrouter', [SEARCH], [ASKED, message, LOOKED]);
    expect(fake.rejections).toEqual([]);
    expect(toolsOf(1)).toEqual(toolsOf(0));
    const { annotations: _, ...sentBack } = searched;
    expect(messagesOf(1)[2]).toEqual({ role: 'assistant', ...sentBack });
  });
});

describe('on DeepSeek, whose tools are functions,', () => {
  it('a function goes as it is given, and a call of it comes as any other, with its reasoning in the next request', async () => {
    const called = { content: '', reasoning_content: 'I note it.', ...calling('call_a', 'note') };
    await start(deepSeekWire, completion(called, 'tool_calls'), completion({ content: 'Done.' }, 'stop'));
    const { message } = await ask('deepseek', [STRICT], [ASKED]);
    expect(toolsOf(0)[1]).toEqual(STRICT);
    expect(message.content.at(-1)).toMatchObject({ type: 'call', callId: 'call_a', name: 'note', input: { q: 'a' } });
    await ask('deepseek', [STRICT], [ASKED, message, LOOKED]);
    expect(fake.rejections).toEqual([]);
    expect(messagesOf(1)[2]).toMatchObject({ reasoning_content: 'I note it.', ...calling('call_a', 'note') });
  });

  it('a tool of another kind is refused by the service, and that is told in its words', async () => {
    await start(deepSeekWire);
    await expect(ask('deepseek', [SEARCH], [ASKED])).rejects.toMatchObject({
      kind: 'invalid_request',
      retryable: false,
      message: expect.stringMatching(/^deepseek answered 400.*: a bad tool/),
    });
  });
});
