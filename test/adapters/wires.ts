// The wires under contract: how each adapter is made, and how each service says the same thing.

import { createGoogleAdapter } from '../../src/adapters/google.ts';
import type { ModelAdapter } from '../../src/adapters/model-adapter.ts';
import { createOpenAiAdapter } from '../../src/adapters/openai.ts';
import { createOpenAiCompatibleAdapter } from '../../src/adapters/openai-compatible.ts';
import { geminiWire } from '../fake-google-api/gemini.ts';
import { chatWire, deepSeekWire } from '../fake-openai-api/chat.ts';
import { responsesWire } from '../fake-openai-api/responses.ts';
import { frames, type Json, type Wire, type WireAnswer } from '../fake-openai-api/wire-fake.ts';
import { CLAUDE_WIRES } from './claude-wires.ts';

/** The key that no error may show. */
export const KEY = 'sk-marker-key-123';

/** What a model does, in the order in which its pieces arrive. `call` numbers the calls of an answer. */
export type Said =
  | { readonly text: string }
  | { readonly begin: string; readonly call: number; readonly id: string }
  | { readonly input: string; readonly call: number }
  /** An event and a block of a kind that nobody knows today. */
  | { readonly unknown: true };

/** How the answer ends. `nothing`: the stream ends before it does. */
export type Ending = 'stop' | 'calls' | 'length' | 'refusal' | 'overloaded' | 'nothing';

/** One service and its adapter. */
export interface WireUnderTest {
  readonly name: string;
  /** Undefined where the key may come from elsewhere. */
  readonly keyVariable: string | undefined;
  readonly wire: Wire;
  /** Wires of one family understand each other's reasoning. */
  readonly family: string;
  /** What an event that is no JSON counts as: it may be the SDK that reads the frames. */
  readonly garbled: 'bad_model_response' | 'connection';
  /** Whether inputs come in pieces, and so may be cut or be no JSON. */
  readonly inputs: 'in pieces' | 'whole';
  create(url: string, apiKey?: string): ModelAdapter;
  stream(said: readonly Said[], ending: Ending, usage?: Json): string;
  /** Usage of 10 uncached, 4 cached and 5 output tokens, 2 of them reasoning. */
  readonly usage: Json;
  readonly overflow: WireAnswer;
  /** A whole answer of the service's own kind, with reasoning, a text and two calls. */
  readonly reasoned: Json;
}

const overflowing = (wire: Wire, message: string): WireAnswer => ({ status: 400, body: wire.toError(400, message) });

const openai: WireUnderTest = {
  name: 'openai',
  keyVariable: 'OPENAI_API_KEY',
  wire: responsesWire,
  family: 'openai',
  garbled: 'bad_model_response',
  inputs: 'in pieces',
  create: (url, apiKey) => createOpenAiAdapter({ apiKey, baseUrl: `${url}/v1` }),
  stream: (said, ending, usage) => {
    const item = (output_index: number, added: Json) => ({
      type: 'response.output_item.added',
      output_index,
      item: added,
    });
    const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] };
    const events = said.flatMap((piece): Json[] => {
      if ('text' in piece) {
        return [{ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: piece.text }];
      }
      if ('begin' in piece) {
        const call = {
          type: 'function_call',
          id: `fc_${piece.call}`,
          call_id: piece.id,
          name: piece.begin,
          arguments: '',
        };
        return [item(10 + piece.call, call)];
      }
      if ('input' in piece) {
        return [{ type: 'response.function_call_arguments.delta', output_index: 10 + piece.call, delta: piece.input }];
      }
      return [{ type: 'response.event_of_tomorrow' }, item(5, { type: 'item_of_tomorrow', id: 'x_1', data: 'x' })];
    });
    const begun = said.some((piece) => 'text' in piece) ? [item(0, message)] : [];
    const refusal = { type: 'response.refusal.delta', output_index: 0, content_index: 0, delta: 'I cannot.' };
    const body = frames({ type: 'response.created', response: {} }, ...begun, ...events);
    const response = { model: 'gpt-1', output: [], ...(usage && { usage }) };
    const done = { type: 'response.completed', response: { ...response, status: 'completed' } };
    switch (ending) {
      case 'nothing':
        return body;
      case 'overloaded':
        return body + frames({ type: 'error', code: 'server_error', message: 'Busy.', param: null });
      case 'length': {
        const cut = { ...response, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
        return body + frames({ type: 'response.incomplete', response: cut });
      }
      case 'refusal':
        return frames(item(0, message), refusal, done);
      default:
        return body + frames(done);
    }
  },
  usage: {
    input_tokens: 14,
    input_tokens_details: { cached_tokens: 4 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 19,
  },
  overflow: overflowing(responsesWire, 'Your input exceeds the context window of this model.'),
  reasoned: {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'gpt-1',
    output: [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'ZW5j' },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Looking.', annotations: [] }],
      },
      { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'ZW5k' },
      {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_1',
        name: 'look',
        arguments: '{"q":"a"}',
        status: 'completed',
      },
      {
        type: 'function_call',
        id: 'fc_2',
        call_id: 'call_2',
        name: 'look',
        arguments: '{"q": "b"}',
        status: 'completed',
      },
    ],
  },
};

function chatStream(said: readonly Said[], ending: Ending, usage?: Json): string {
  const reasons = { stop: 'stop', calls: 'tool_calls', length: 'length', refusal: 'content_filter' } as const;
  const chunk = (delta: Json, finish_reason: string | null = null) => {
    return { object: 'chat.completion.chunk', model: 'chat-1', choices: [{ index: 0, delta, finish_reason }] };
  };
  const events = said.map((piece): Json => {
    if ('text' in piece) return chunk({ content: piece.text });
    if ('begin' in piece) {
      const called = { name: piece.begin, arguments: '' };
      return chunk({ tool_calls: [{ index: piece.call, id: piece.id, type: 'function', function: called }] });
    }
    if ('input' in piece) return chunk({ tool_calls: [{ index: piece.call, function: { arguments: piece.input } }] });
    return chunk({ field_of_tomorrow: 'x' });
  });
  const body = frames(
    chunk({ role: 'assistant', content: '' }),
    { object: 'chat.completion.chunk', choices: [] },
    ...events,
  );
  if (ending === 'nothing') return body;
  if (ending === 'overloaded') return body + frames({ error: { code: 503, message: 'Busy.' } });
  return body + frames(chunk({}, reasons[ending]), ...(usage ? [{ choices: [], usage }] : []), '[DONE]');
}

const chat: WireUnderTest = {
  name: 'openai-compatible',
  keyVariable: 'SOME_API_KEY',
  wire: chatWire,
  family: 'chat',
  garbled: 'bad_model_response',
  inputs: 'in pieces',
  create: (url, apiKey) =>
    createOpenAiCompatibleAdapter({ provider: 'some', baseUrl: `${url}/v1`, apiKey, keyVariable: 'SOME_API_KEY' }),
  stream: chatStream,
  usage: {
    prompt_tokens: 14,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens: 5,
    completion_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 19,
  },
  overflow: overflowing(chatWire, 'This model’s maximum context length is 4096 tokens. However, you requested 5000.'),
  reasoned: completion({ content: 'Looking.', reasoning: 'Two look-ups.' }),
};

const deepseek: WireUnderTest = {
  ...chat,
  name: 'deepseek',
  keyVariable: 'DEEPSEEK_API_KEY',
  wire: deepSeekWire,
  family: 'deepseek',
  create: (url, apiKey) =>
    createOpenAiCompatibleAdapter({ provider: 'deepseek', baseUrl: url, apiKey, keyVariable: 'DEEPSEEK_API_KEY' }),
  usage: {
    prompt_tokens: 14,
    prompt_cache_hit_tokens: 4,
    completion_tokens: 5,
    completion_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 19,
  },
  reasoned: completion({ content: '', reasoning_content: 'Two look-ups.' }),
};

function completion(message: Json): Json {
  const call = (id: string, written: string) => ({
    id,
    type: 'function',
    function: { name: 'look', arguments: written },
  });
  const tool_calls = [call('call_a', '{"q":"a"}'), call('call_b', '{ "q": "b" }')];
  const choice = { index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', ...message, tool_calls } };
  return { id: 'c', object: 'chat.completion', model: 'chat-1', choices: [choice] };
}

const google: WireUnderTest = {
  name: 'google',
  keyVariable: 'GEMINI_API_KEY',
  wire: geminiWire,
  family: 'google',
  garbled: 'bad_model_response',
  inputs: 'whole',
  create: (baseUrl, apiKey) => createGoogleAdapter({ apiKey, baseUrl }),
  stream: (said, ending, usage) => {
    const reasons = { stop: 'STOP', calls: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY' } as const;
    const chunk = (parts: readonly Json[], more: Json = {}) => {
      return { modelVersion: 'gemini-1', candidates: [{ index: 0, content: { role: 'model', parts }, ...more }] };
    };
    const inputOf = (call: number) =>
      said.map((piece) => ('input' in piece && piece.call === call ? piece.input : '')).join('');
    const events = said.flatMap((piece): Json[] => {
      if ('text' in piece) return [chunk([{ text: piece.text }])];
      if ('input' in piece) return [];
      if ('unknown' in piece) return [{ eventOfTomorrow: {} }, chunk([{ partOfTomorrow: { data: 'x' } }])];
      const args = inputOf(piece.call);
      return [
        chunk([{ functionCall: { name: piece.begin, id: piece.id, ...(args !== '' && { args: JSON.parse(args) }) } }]),
      ];
    });
    const body = frames({ modelVersion: 'gemini-1', candidates: [{ index: 0 }] }, ...events);
    if (ending === 'nothing') return body;
    if (ending === 'overloaded')
      return body + frames({ error: { code: 503, message: 'Busy.', status: 'UNAVAILABLE' } });
    return body + frames({ ...chunk([], { finishReason: reasons[ending] }), ...(usage && { usageMetadata: usage }) });
  },
  usage: { promptTokenCount: 14, cachedContentTokenCount: 4, candidatesTokenCount: 3, thoughtsTokenCount: 2 },
  overflow: overflowing(
    geminiWire,
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  ),
  reasoned: {
    modelVersion: 'gemini-1',
    candidates: [
      {
        index: 0,
        finishReason: 'STOP',
        content: {
          role: 'model',
          parts: [
            { text: 'Two look-ups.', thought: true },
            { text: 'Looking.' },
            { functionCall: { name: 'look', args: { q: 'a' } }, thoughtSignature: 'c2ln' },
            { functionCall: { name: 'look', args: { q: 'b' } } },
          ],
        },
      },
    ],
  },
};

/** Every wire that Pawl speaks. */
export const WIRES: readonly WireUnderTest[] = [...CLAUDE_WIRES, openai, chat, deepseek, google];
