// Claude, at Anthropic and in the clouds, under contract.

import { createAnthropicAdapter } from '../../src/adapters/anthropic.ts';
import { createBedrockAdapter } from '../../src/adapters/anthropic-bedrock.ts';
import { createFoundryAdapter } from '../../src/adapters/anthropic-foundry.ts';
import { createVertexAdapter, type VertexOptions } from '../../src/adapters/anthropic-vertex.ts';
import { bedrockWire } from '../fake-claude-clouds/bedrock.ts';
import { foundryWire } from '../fake-claude-clouds/foundry.ts';
import { messagesWire } from '../fake-claude-clouds/messages-wire.ts';
import { vertexWire } from '../fake-claude-clouds/vertex.ts';
import { frames, type Json, type Wire, type WireAnswer } from '../fake-openai-api/wire-fake.ts';
import type { WireUnderTest } from './wires.ts';

const tooLong = (wire: Wire, message: string): WireAnswer => ({ status: 400, body: wire.toError(400, message) });

const anthropic: WireUnderTest = {
  name: 'anthropic',
  keyVariable: 'ANTHROPIC_API_KEY',
  wire: messagesWire,
  family: 'anthropic',
  garbled: 'bad_model_response',
  inputs: 'in pieces',
  create: (baseUrl, apiKey) => createAnthropicAdapter({ apiKey, baseUrl }),
  stream: (said, ending, usage) => {
    const reasons = { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens', refusal: 'refusal' } as const;
    const block = (index: number, content_block: Json) => ({ type: 'content_block_start', index, content_block });
    const delta = (index: number, piece: Json) => ({ type: 'content_block_delta', index, delta: piece });
    const events = said.flatMap((piece): Json[] => {
      if ('text' in piece) return [delta(0, { type: 'text_delta', text: piece.text })];
      if ('begin' in piece) {
        return [block(10 + piece.call, { type: 'tool_use', id: piece.id, name: piece.begin, input: {} })];
      }
      if ('input' in piece) return [delta(10 + piece.call, { type: 'input_json_delta', partial_json: piece.input })];
      return [{ type: 'event_of_tomorrow' }, block(5, { type: 'block_of_tomorrow', data: 'x' })];
    });
    const atStart = { ...usage, output_tokens: 1, output_tokens_details: null };
    const message = { model: 'claude-1', content: [], ...(usage && { usage: atStart }) };
    const head = [{ type: 'message_start', message }];
    const begun = said.some((piece) => 'text' in piece) ? [block(0, { type: 'text', text: '' })] : [];
    const body = frames(...head, ...begun, ...events);
    if (ending === 'nothing') return body;
    if (ending === 'overloaded')
      return body + frames({ type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } });
    const end = { type: 'message_delta', delta: { stop_reason: reasons[ending] }, ...(usage && { usage }) };
    return body + frames(end, { type: 'message_stop' });
  },
  usage: {
    input_tokens: 10,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 4,
    output_tokens: 5,
    output_tokens_details: { thinking_tokens: 2 },
  },
  overflow: tooLong(messagesWire, 'prompt is too long: 210000 tokens > 200000 maximum'),
  reasoned: {
    type: 'message',
    role: 'assistant',
    model: 'claude-1',
    content: [
      { type: 'thinking', thinking: 'Two look-ups.', signature: 'c2ln' },
      { type: 'text', text: 'Looking.' },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: { q: 'a' } },
      { type: 'tool_use', id: 'toolu_2', name: 'look', input: { q: 'b' } },
    ],
    stop_reason: 'tool_use',
  },
};

const bedrock: WireUnderTest = {
  ...anthropic,
  name: 'bedrock',
  keyVariable: undefined,
  wire: bedrockWire,
  garbled: 'connection',
  create: (baseUrl, apiKey) => createBedrockAdapter({ region: 'us-east-1', apiKey, baseUrl }),
  stream: (said, ending, usage) => {
    if (ending !== 'overloaded') return anthropic.stream(said, ending, usage);
    const busy = { type: 'serviceUnavailableException', message: 'Busy.' };
    return anthropic.stream(said, 'nothing', usage) + frames(busy);
  },
  overflow: tooLong(bedrockWire, 'Input is too long for requested model.'),
};

const vertex: WireUnderTest = {
  ...anthropic,
  name: 'vertex',
  keyVariable: undefined,
  wire: vertexWire,
  create: (url, token = '') => {
    const where = { region: 'us-east5', projectId: 'some-project', baseUrl: `${url}/v1` };
    return createVertexAdapter({ ...where, authClient: clientWith(token) });
  },
  stream: (said, ending, usage) => {
    if (ending !== 'overloaded') return anthropic.stream(said, ending, usage);
    const busy = { error: { code: 503, message: 'Busy.', status: 'UNAVAILABLE' } };
    return anthropic.stream(said, 'nothing', usage) + frames(busy);
  },
  overflow: tooLong(vertexWire, 'prompt is too long: 210000 tokens > 200000 maximum'),
};

/** As much of a client of Google's as gives a token that one has. */
function clientWith(token: string): NonNullable<VertexOptions['authClient']> {
  const given = { getRequestHeaders: async () => new Headers({ authorization: `Bearer ${token}` }) };
  return given as unknown as NonNullable<VertexOptions['authClient']>;
}

const foundry: WireUnderTest = {
  ...anthropic,
  name: 'foundry',
  keyVariable: 'ANTHROPIC_FOUNDRY_API_KEY',
  wire: foundryWire,
  create: (url, apiKey) => createFoundryAdapter({ apiKey, baseUrl: `${url}/anthropic` }),
};

/** Each wire on which Claude answers. */
export const CLAUDE_WIRES: readonly WireUnderTest[] = [anthropic, bedrock, vertex, foundry];
