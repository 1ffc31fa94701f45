import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../protocol/messages.ts';
import { NO_USAGE } from '../protocol/run.ts';
import type { ModelEvent } from './model-adapter.ts';
import { ResponseInProgress } from './openai-answer.ts';

type Finished = Extract<ModelEvent, { type: 'finished' }>;

function take(...events: readonly JsonObject[]): ModelEvent[] {
  const answer = new ResponseInProgress('asked-model');
  return events.flatMap((data) => answer.take({ type: String(data['type']), data }));
}

function whole(response: JsonObject, ...events: readonly JsonObject[]): Finished {
  return take(...events, { type: 'response.completed', response }).at(-1) as Finished;
}

const call = (more: JsonObject) => ({ type: 'function_call', call_id: 'c', name: 't', arguments: '{}', ...more });

describe('a response', () => {
  it.each([
    [{ status: 'completed' }, 'end_turn', 'completed'],
    [{ status: 'completed', output: [call({})] }, 'tool_use', 'completed'],
    [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'max_tokens', 'max_output_tokens'],
    [{ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }, 'content_filter', 'content_filter'],
  ])('%j stops with %s', (response, stopReason, rawStopReason) => {
    expect(whole(response)).toMatchObject({ stopReason, rawStopReason });
  });

  it.each<JsonObject>([
    { status: 'cancelled' },
    { status: 'incomplete', incomplete_details: { reason: 'reason_of_tomorrow' } },
    { status: 'incomplete' },
  ])('%j stops for an unknown reason', (response) => {
    expect(() => whole(response)).toThrow(expect.objectContaining({ kind: 'unknown_stop_reason', retryable: false }));
  });

  it('that refuses says why', () => {
    const content = [{ type: 'refusal', refusal: 'I cannot.' }];
    const output = [{ type: 'message', id: 'm', role: 'assistant', content }];
    expect(whole({ status: 'completed', output })).toMatchObject({ stopReason: 'refusal', stopDetails: 'I cannot.' });
  });

  it('names its model, or the one that was asked', () => {
    expect(whole({ status: 'completed', model: 'gpt-1-2026' }).model).toBe('gpt-1-2026');
    expect(whole({ status: 'completed' }).model).toBe('asked-model');
  });

  it('counts each token once', () => {
    const input_tokens_details = { cached_tokens: 60, cache_write_tokens: 30 };
    const usage = {
      input_tokens: 100,
      input_tokens_details,
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 5 },
    };
    expect(whole({ status: 'completed', usage }).usage).toEqual({
      inputTokens: 10,
      outputTokens: 7,
      cacheReadTokens: 60,
      cacheWriteTokens: 30,
      reasoningTokens: 5,
    });
  });

  it.each<[JsonValue | undefined, number]>([
    [undefined, 0],
    [null, 0],
    [{}, 0],
    [{ reasoning_tokens: null }, 0],
    [{ reasoning_tokens: '5' }, 0],
    [{ reasoning_tokens: 7 }, 7],
    [{ reasoning_tokens: 8 }, 7],
  ])('with output tokens of which %j has reasoned %i', (output_tokens_details, reasoningTokens) => {
    const usage = { output_tokens: 7, ...(output_tokens_details !== undefined && { output_tokens_details }) };
    expect(whole({ status: 'completed', usage }).usage).toEqual({ ...NO_USAGE, outputTokens: 7, reasoningTokens });
  });
});

describe('a reasoning summary', () => {
  it.each(['response.reasoning_summary_text.delta', 'response.reasoning_text.delta'])('comes as %s', (type) => {
    expect(take({ type, delta: 'hm' }, { type, delta: '' })).toEqual([
      { type: 'reasoning_delta', text: 'hm' },
      { type: 'alive' },
    ]);
  });
});

describe('a malformed response', () => {
  it.each([
    ['an item without a place', [{ type: 'response.output_item.added', item: call({}) }]],
    ['a place without an item', [{ type: 'response.output_item.added', output_index: 0 }]],
    ['a piece of nothing', [{ type: 'response.output_text.delta', output_index: 0, delta: 'a' }]],
    ['an end without a response', [{ type: 'response.completed' }]],
    ['an end without a status', [{ type: 'response.completed', response: {} }]],
    [
      'a call without an id',
      [{ type: 'response.completed', response: { status: 'completed', output: [call({ call_id: '' })] } }],
    ],
    [
      'a call without a name',
      [{ type: 'response.completed', response: { status: 'completed', output: [call({ name: null })] } }],
    ],
  ])('%s is worth another attempt', (_, events) => {
    expect(() => take(...events)).toThrow(expect.objectContaining({ kind: 'bad_model_response', retryable: true }));
  });
});
