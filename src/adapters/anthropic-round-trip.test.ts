// The law of every adapter: provider → neutral → the same provider is deep-equal, in the same order.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJson } from '../../test/adapters/any-json.ts';
import type { AssistantMessage, JsonObject, JsonValue } from '../protocol/messages.ts';
import { AnswerInProgress } from './anthropic-answer.ts';
import { toWireMessages } from './anthropic-request.ts';

type Piece = readonly [type: string, event: JsonObject];

const CALL = { type: 'tool_use', id: 'toolu_1', name: 't', input: {} };
const begin = (index: number, content_block: JsonObject): Piece => ['content_block_start', { index, content_block }];
const delta = (index: number, piece: JsonObject): Piece => ['content_block_delta', { index, delta: piece }];
const json = (index: number, partial_json: string): Piece => delta(index, { type: 'input_json_delta', partial_json });
const end = (index: number): Piece => ['content_block_stop', { index }];

function received(...pieces: readonly Piece[]): AssistantMessage {
  const answer = new AnswerInProgress('claude-1');
  answer.take('message_start', { message: {} });
  for (const [type, event] of pieces) answer.take(type, event);
  answer.take('message_delta', { delta: { stop_reason: 'end_turn' } });
  const finished = answer.take('message_stop', {});
  return finished.type === 'finished' ? finished.message : expect.fail('the answer is not finished');
}

function sentBack(message: AssistantMessage): unknown[] {
  return toWireMessages([message]).flatMap((wire) => wire.content);
}

describe('the content goes back deep-equal', () => {
  it('with a signature that came as its own piece', () => {
    const answer = received(
      begin(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'one ' }),
      delta(0, { type: 'thinking_delta', thinking: 'two' }),
      delta(0, { type: 'signature_delta', signature: 'sig' }),
      end(0),
    );
    expect(sentBack(answer)).toEqual([{ type: 'thinking', thinking: 'one two', signature: 'sig' }]);
  });

  it('with citations that came one by one', () => {
    const answer = received(
      begin(0, { type: 'text', text: '', citations: null }),
      delta(0, { type: 'text_delta', text: 'hi' }),
      delta(0, { type: 'citations_delta', citation: { a: 1 } }),
      delta(0, { type: 'citations_delta', citation: { b: 2 } }),
    );
    expect(sentBack(answer)).toEqual([{ type: 'text', text: 'hi', citations: [{ a: 1 }, { b: 2 }] }]);
  });

  it('but for the file of a citation, which the service does not take back', () => {
    const citation = { type: 'page_location', cited_text: 'hi', document_index: 0, file_id: null };
    const answer = received(
      begin(0, { type: 'text', text: 'hi', citations: [] }),
      delta(0, { type: 'citations_delta', citation }),
    );
    const { file_id: _, ...taken } = citation;
    expect(sentBack(answer)).toEqual([{ type: 'text', text: 'hi', citations: [taken] }]);
  });

  it('with pieces of a kind unknown today', () => {
    const answer = received(
      begin(0, { type: 'block_of_tomorrow', words: 'a', items: [1], state: null }),
      delta(0, { type: 'delta_of_tomorrow', words: 'b', items: [2], state: { n: 1 }, more: 'c' }),
      delta(0, { type: 'delta_of_tomorrow', words: 'd', more: 'e' }),
    );
    expect(sentBack(answer)).toEqual([
      { type: 'block_of_tomorrow', words: 'abd', items: [1, 2], state: { n: 1 }, more: 'ce' },
    ]);
  });

  it('without empty texts', () => {
    const answer = received(begin(0, { type: 'text', text: '' }), end(0), begin(1, CALL), end(1));
    expect(answer.content).toHaveLength(1);
    expect(sentBack(answer)).toEqual([CALL]);
  });

  it('whatever its blocks are, and however their pieces interleave', () => {
    fc.assert(
      fc.property(fc.array(blocks(), { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 60 }), (content, order) => {
        const numbered = content.map((block, index) => ('id' in block ? { ...block, id: `id_${index}` } : block));
        const message = received(...interleaved(numbered.map(piecesOf), order));
        const expected = numbered.filter((block) => block['type'] !== 'text' || String(block['text']).trim() !== '');
        expect(sentBack(message)).toEqual(expected);
      }),
    );
  });
});

/** Blocks as the service sends them: all kinds that have a form of their own here, and some that have none. */
function blocks(): fc.Arbitrary<JsonObject> {
  const anyText = fc.string();
  const values = anyJson();
  const anyObject = fc.dictionary(fc.string(), values);
  const citations = fc.option(fc.array(anyObject, { maxLength: 2 }));
  const cited = { type: fc.constant('text'), text: anyText, citations };
  const call = { id: fc.constant(''), name: fc.constantFrom('a', 'b'), input: anyObject, caller: anyObject };
  return fc.oneof(
    fc.record(cited, { requiredKeys: ['type', 'text'] }),
    fc.record({ type: fc.constant('tool_use'), ...call }, { requiredKeys: ['type', 'id', 'name', 'input'] }),
    fc.record({ type: fc.constantFrom('server_tool_use', 'mcp_tool_use'), ...call }),
    fc.record({ type: fc.constant('thinking'), thinking: anyText, signature: anyText }),
    fc.record({ type: fc.constant('redacted_thinking'), data: anyText }),
    fc.record({ type: fc.constant('web_search_tool_result'), tool_use_id: anyText, content: values }),
    anyObject.map((fields) => ({ ...fields, type: 'block_of_tomorrow' })),
  ) as fc.Arbitrary<JsonObject>;
}

function piecesOf(block: JsonObject, index: number): Piece[] {
  return [...opening(block, index), end(index)];
}

function opening(block: JsonObject, index: number): Piece[] {
  switch (block['type']) {
    case 'text': {
      const pieces = halves(block['text']).map((text) => delta(index, { type: 'text_delta', text }));
      return [begin(index, { ...block, text: '' }), ...pieces];
    }
    case 'thinking': {
      const pieces = halves(block['thinking']).map((thinking) => delta(index, { type: 'thinking_delta', thinking }));
      const signature = delta(index, { type: 'signature_delta', signature: block['signature'] ?? '' });
      return [begin(index, { ...block, thinking: '', signature: '' }), ...pieces, signature];
    }
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use': {
      const pieces = halves(JSON.stringify(block['input'])).map((partial) => json(index, partial));
      return [begin(index, { ...block, input: {} }), ...pieces];
    }
    default:
      return [begin(index, block)];
  }
}

function halves(text: JsonValue | undefined): string[] {
  const whole = String(text);
  const middle = Math.ceil(whole.length / 2);
  return [whole.slice(0, middle), whole.slice(middle)];
}

/** The queues merged: each number says whose turn it is, and each queue keeps its own order. */
function interleaved(queues: Piece[][], order: readonly number[]): Piece[] {
  const merged: Piece[] = [];
  const left = queues.map((queue) => [...queue]);
  for (const turn of order) {
    const piece = left[turn % Math.max(left.length, 1)]?.shift();
    if (piece !== undefined) merged.push(piece);
  }
  return [...merged, ...left.flat()];
}
