// The law of every adapter, for the Responses API: provider → neutral → the same provider is deep-equal, in order.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJson } from '../../test/adapters/any-json.ts';
import type { AssistantMessage, JsonObject } from '../protocol/messages.ts';
import { ResponseInProgress } from './openai-answer.ts';
import { toInputItems } from './openai-request.ts';

function received(events: readonly JsonObject[]): AssistantMessage {
  const answer = new ResponseInProgress('gpt-1');
  for (const data of events) answer.take({ type: String(data['type']), data });
  const data = { response: { status: 'completed' } };
  const finished = answer.take({ type: 'response.completed', data }).at(-1);
  return finished?.type === 'finished' ? finished.message : expect.fail('the answer is not finished');
}

const END = { type: 'message', id: 'msg_end', role: 'assistant', content: [{ type: 'output_text', text: 'End.' }] };

describe('the output goes back deep-equal', () => {
  it('whatever its items are, and however their pieces interleave', () => {
    fc.assert(
      fc.property(fc.array(items(), { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 60 }), (random, order) => {
        const output = [...random.map((item, index) => withIds(item, index)), END];
        const message = received(interleaved(output.map(eventsOf), order));
        expect(toInputItems([JSON.parse(JSON.stringify(message))])).toEqual(output);
      }),
    );
  });

  it('with what its pieces say, where the service does not repeat an item', () => {
    const place = { output_index: 0, content_index: 0 };
    const message = received([
      { type: 'response.output_item.added', output_index: 0, item: { ...END, content: [] } },
      { type: 'response.output_text.delta', ...place, delta: 'En' },
      { type: 'response.output_text.delta', ...place, delta: 'd.' },
      { type: 'response.output_item.added', output_index: 1, item: { type: 'function_call', call_id: 'c', name: 't' } },
      { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"a"' },
      { type: 'response.function_call_arguments.delta', output_index: 1, delta: ':1}' },
    ]);
    expect(toInputItems([message])).toEqual([
      { ...END, content: [{ type: 'output_text', text: 'End.', annotations: [] }] },
      { type: 'function_call', call_id: 'c', name: 't', arguments: '{"a":1}' },
    ]);
  });

  it('but for reasoning that led to nothing, which the service refuses', () => {
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' };
    expect(toInputItems([received(eventsOf(END, 0).concat(eventsOf(reasoning, 1)))])).toEqual([END]);
  });
});

function items(): fc.Arbitrary<JsonObject> {
  const values = anyJson();
  const anyObject = fc.dictionary(fc.string(), values);
  const text = fc.string().filter((words) => words.trim() !== '');
  const part = fc.record(
    { type: fc.constant('output_text'), text, annotations: fc.array(anyObject, { maxLength: 2 }) },
    { requiredKeys: ['type', 'text'] },
  );
  const partOfTomorrow = anyObject.map((fields) => ({ ...fields, type: 'part_of_tomorrow' }));
  const written = fc
    .tuple(anyObject, fc.constantFrom(0, 1))
    .map(([input, indent]) => JSON.stringify(input, null, indent));
  return fc.oneof(
    fc.record({
      type: fc.constant('message'),
      role: fc.constant('assistant'),
      status: fc.constant('completed'),
      content: fc.array(fc.oneof(part, partOfTomorrow), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ type: fc.constant('function_call'), name: fc.constantFrom('a', 'b'), arguments: written }),
    fc.record({ type: fc.constant('reasoning'), summary: fc.array(anyObject), encrypted_content: fc.string() }),
    anyObject.map((fields) => ({ ...fields, type: 'item_of_tomorrow' })),
  ) as fc.Arbitrary<JsonObject>;
}

function withIds(item: JsonObject, index: number): JsonObject {
  const own = { ...item, id: `id_${index}` };
  return item['type'] === 'function_call' ? { ...own, call_id: `call_${index}` } : own;
}

function eventsOf(item: JsonObject, output_index: number): JsonObject[] {
  const isCall = item['type'] === 'function_call';
  const begun = isCall ? { ...item, arguments: '' } : { ...item, content: [] };
  const text = isCall ? String(item['arguments']) : 'xy';
  const type = isCall ? 'response.function_call_arguments.delta' : 'response.reasoning_summary_text.delta';
  return [
    { type: 'response.output_item.added', output_index, item: begun },
    { type, output_index, delta: text.slice(0, 3) },
    { type, output_index, delta: text.slice(3) },
    { type: 'response.output_item.done', output_index, item },
  ];
}

/** The queues merged: each number says whose turn it is, and each queue keeps its own order. */
function interleaved(queues: JsonObject[][], order: readonly number[]): JsonObject[] {
  const left = queues.map((queue) => [...queue]);
  const merged = order.map((turn) => left[turn % left.length]?.shift()).filter((event) => event !== undefined);
  return [...merged, ...left.flat()];
}
