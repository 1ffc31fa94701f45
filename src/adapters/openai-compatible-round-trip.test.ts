// The law of every adapter, for Chat Completions: provider → neutral → the same provider is deep-equal, in order.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJson } from '../../test/adapters/any-json.ts';
import type { AssistantMessage, JsonObject, JsonValue } from '../protocol/messages.ts';
import { ChatInProgress } from './openai-compatible-answer.ts';
import { toChatMessages } from './openai-compatible-request.ts';

const PROVIDER = 'some';

function received(deltas: readonly JsonObject[]): AssistantMessage {
  const answer = new ChatInProgress('chat-1', PROVIDER);
  for (const delta of deltas) answer.take({ type: '', data: { choices: [{ delta }] } });
  answer.take({ type: '', data: { choices: [{ delta: {}, finish_reason: 'stop' }] } });
  const finished = answer.end();
  return finished.type === 'finished' ? finished.message : expect.fail('the answer is not finished');
}

function sentBack(message: AssistantMessage, provider = PROVIDER): readonly JsonObject[] {
  return toChatMessages([JSON.parse(JSON.stringify(message))], provider);
}

describe('the message goes back deep-equal', () => {
  it('whatever a server adds to it, and however it is cut', () => {
    fc.assert(
      fc.property(messages(), fc.integer({ min: 1, max: 5 }), (random, size) => {
        const message = numbered(random);
        expect(sentBack(received(deltasOf(message, size)))).toEqual([message]);
      }),
    );
  });

  it('with items of a list that came in pieces', () => {
    const piece = (text: string, more: JsonObject = {}) => {
      return { reasoning_details: [{ type: 'reasoning.text', index: 0, text, ...more }] };
    };
    const encrypted = { type: 'reasoning.encrypted', index: 1, data: 'x', format: 'f' };
    const deltas = [
      piece('a', { signature: null }),
      piece('b', { signature: 's' }),
      { reasoning_details: [encrypted] },
    ];
    expect(sentBack(received([...deltas, { content: 'Hi.' }]))).toEqual([
      {
        role: 'assistant',
        content: 'Hi.',
        reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'ab', signature: 's' }, encrypted],
      },
    ]);
  });

  it('and not to another server', () => {
    const message = received([{ reasoning_content: 'secret' }, { content: 'Hi.' }]);
    expect(sentBack(message, 'other')).toEqual([{ role: 'assistant', content: 'Hi.' }]);
  });
});

function messages(): fc.Arbitrary<JsonObject> {
  const anyObject = fc.dictionary(fc.string(), anyJson());
  const filled = fc.string().filter((words) => words.trim() !== '');
  const written = fc
    .tuple(anyObject, fc.constantFrom(0, 1))
    .map(([input, indent]) => JSON.stringify(input, null, indent));
  const call = fc.record(
    { name: fc.constantFrom('a', 'b'), arguments: written, extra_content: anyObject },
    { requiredKeys: ['name', 'arguments'] },
  );
  return fc.record(
    {
      role: fc.constant('assistant'),
      content: filled,
      reasoning_content: filled,
      field_of_tomorrow: fc.oneof(anyObject, fc.integer()),
      tool_calls: fc.array(call, { minLength: 1, maxLength: 4 }),
    },
    { requiredKeys: ['role', 'content'] },
  ) as fc.Arbitrary<JsonObject>;
}

function numbered(message: JsonObject): JsonObject {
  const calls = message['tool_calls'] as readonly JsonObject[] | undefined;
  if (calls === undefined) return message;
  const tool_calls = calls.map(({ name, arguments: written, ...rest }, index) => {
    return { id: `call_${index}`, type: 'function', function: { name: name ?? '', arguments: written ?? '' }, ...rest };
  });
  return { ...message, tool_calls } as JsonObject;
}

/** Pieces of `size` characters; the pieces of parallel calls take turns. */
function deltasOf({ content, reasoning_content, tool_calls, ...rest }: JsonObject, size: number): JsonObject[] {
  const cut = (value: JsonValue | undefined) => String(value ?? '').match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  const calls = (tool_calls ?? []) as readonly (JsonObject & { function: JsonObject })[];
  const begun = calls.map((call, index) => ({ ...call, index, function: { ...call.function, arguments: '' } }));
  const pieces = calls.flatMap((call, index) =>
    cut(call.function['arguments']).map((piece, turn) => ({ turn, index, function: { arguments: piece } })),
  );
  pieces.sort((a, b) => a.turn - b.turn);
  return [
    rest,
    ...cut(reasoning_content).map((piece) => ({ reasoning_content: piece })),
    ...cut(content).map((piece) => ({ content: piece })),
    { tool_calls: begun },
    ...pieces.map(({ turn: _, ...piece }) => ({ tool_calls: [piece] })),
  ] as JsonObject[];
}
