import { describe, expect, it } from 'vitest';
import { callsOf, type JsonObject, type JsonValue } from '../protocol/messages.ts';
import type { ModelEvent } from './model-adapter.ts';
import { ChatInProgress } from './openai-compatible-answer.ts';
import { DONE } from './stream-answer.ts';

type Finished = Extract<ModelEvent, { type: 'finished' }>;

function take(...chunks: readonly JsonObject[]): ChatInProgress {
  const answer = new ChatInProgress('asked-model', 'some');
  for (const data of chunks) answer.take({ type: '', data });
  return answer;
}

function delta(piece: JsonObject): JsonObject {
  return { choices: [{ index: 0, delta: piece }] };
}

function calling(...pieces: readonly JsonObject[]): JsonObject[] {
  return pieces.map((piece) => delta({ tool_calls: [piece] }));
}

const stopping = (finish_reason: JsonValue): JsonObject => ({ choices: [{ index: 0, delta: {}, finish_reason }] });

function whole(...chunks: readonly JsonObject[]): Finished {
  return take(...chunks, stopping('stop')).end() as Finished;
}

const named = (name: string, written = '') => ({ function: { name, arguments: written } });
const input = (written: string) => ({ function: { arguments: written } });

describe('a finish reason', () => {
  it.each([
    ['stop', 'end_turn'],
    ['tool_calls', 'tool_use'],
    ['function_call', 'tool_use'],
    ['length', 'max_tokens'],
    ['content_filter', 'content_filter'],
  ])('%s is %s', (raw, stopReason) => {
    expect(take(stopping(raw)).end()).toMatchObject({ stopReason, rawStopReason: raw });
  });

  it.each([
    ['reason_of_tomorrow', 'unknown_stop_reason', false],
    ['constructor', 'unknown_stop_reason', false],
    ['error', 'server_error', true],
    ['insufficient_system_resource', 'server_error', true],
    [null, 'stream_incomplete', true],
    ['', 'stream_incomplete', true],
  ])('%s is no end: %s', (raw, kind, retryable) => {
    expect(() => take(delta({ content: 'a' }), stopping(raw)).end()).toThrow(
      expect.objectContaining({ kind, retryable }),
    );
  });

  it('of a server that says stop after calls means the calls', () => {
    expect(whole(...calling({ index: 0, id: 'a', ...named('t') })).stopReason).toBe('tool_use');
  });

  it('of a refusal means the refusal', () => {
    expect(whole(delta({ refusal: 'I can' }), delta({ refusal: 'not.' }))).toMatchObject({
      stopReason: 'refusal',
      stopDetails: 'I cannot.',
      message: { content: [] },
    });
  });
});

describe('the end', () => {
  it('is the mark, and for a server without one the end of the stream', () => {
    const answer = take(delta({ content: 'a' }), stopping('stop'));
    expect(answer.take({ type: DONE, data: {} })).toMatchObject([{ type: 'finished' }]);
    expect(answer.end()).toMatchObject({ type: 'finished' });
  });

  it('comes after usage that came after the finish reason', () => {
    const usage = { prompt_tokens: 9, prompt_cache_hit_tokens: 4, completion_tokens: 2 };
    expect(take(stopping('stop'), { choices: [], usage }).end()).toMatchObject({
      usage: { inputTokens: 5, outputTokens: 2, cacheReadTokens: 4, cacheWriteTokens: 0, reasoningTokens: 0 },
    });
  });
});

describe('reasoning tokens', () => {
  it.each<[counted: string, usage: JsonObject, outputTokens: number, reasoningTokens: number]>([
    ['not at all', { completion_tokens_details: { reasoning_tokens: null } }, 9, 0],
    ['by null', { completion_tokens_details: null }, 9, 0],
    ['among the completion', { completion_tokens_details: { reasoning_tokens: 5 }, total_tokens: 29 }, 9, 5],
    ['among it, without a total', { completion_tokens_details: { reasoning_tokens: 5 } }, 9, 5],
    ['as all of it', { completion_tokens_details: { reasoning_tokens: 9 }, total_tokens: 29 }, 9, 9],
    ['beside it, as the total shows', { completion_tokens_details: { reasoning_tokens: 5 }, total_tokens: 34 }, 14, 5],
    ['beside it, and more', { completion_tokens_details: { reasoning_tokens: 94 }, total_tokens: 123 }, 103, 94],
    ['as more than all of it', { completion_tokens_details: { reasoning_tokens: 10 }, total_tokens: 29 }, 9, 9],
  ])('are counted %s', (_, counts, outputTokens, reasoningTokens) => {
    const usage = { prompt_tokens: 20, completion_tokens: 9, ...counts };
    const counted = take(stopping('stop'), { choices: [], usage }).end();
    expect(counted).toMatchObject({ usage: { inputTokens: 20, outputTokens, reasoningTokens } });
  });
});

describe('calls', () => {
  const a = { callId: 'a', name: 't', input: { n: 1 } };
  const b = { callId: 'b', name: 't', input: { n: 2 } };
  const at = (call: typeof a, position: number) => ({ ...call, callId: `call_${position}` });

  it.each([
    [
      'with the id in the first piece only',
      [
        { index: 0, id: 'a', ...named('t') },
        { index: 0, ...input('{"n":1}') },
      ],
      [a],
    ],
    [
      'with the id in every piece',
      [
        { index: 0, id: 'a', ...named('t') },
        { index: 0, id: 'a', ...input('{"n":1}') },
      ],
      [a],
    ],
    [
      'with an empty id later',
      [
        { index: 0, id: 'a', ...named('t') },
        { index: 0, id: '', ...input('{"n":1}') },
      ],
      [a],
    ],
    [
      'with the whole input at once',
      [
        { index: 0, id: 'a', ...named('t', '{"n":1}') },
        { index: 1, id: 'b', ...named('t', '{"n":2}') },
      ],
      [a, b],
    ],
    [
      'with the index 0 each',
      [
        { index: 0, id: 'a', ...named('t', '{"n":1}') },
        { index: 0, id: 'b', ...named('t', '{"n":2}') },
      ],
      [a, b],
    ],
    ['told apart by nothing', [named('t', '{"n":1}'), named('t', '{"n":2}')], [at(a, 0), at(b, 1)]],
    [
      'with the index 0 and the same id each',
      [
        { index: 0, id: 'a', ...named('t', '{"n":1}') },
        { index: 0, id: 'a', ...named('t', '{"n":2}') },
      ],
      [a, { ...b, callId: 'a' }],
    ],
    [
      'whose name is repeated in each piece',
      [
        { index: 0, id: 'a', ...named('t', '{"n":') },
        { index: 0, id: 'a', ...named('t', '1}') },
      ],
      [a],
    ],
    ['without an index', [{ id: 'a', ...named('t') }, input('{"n":1}'), { id: 'b', ...named('t', '{"n":2}') }], [a, b]],
    [
      'without ids',
      [
        { index: 0, ...named('t', '{"n":1}') },
        { index: 1, ...named('t', '{"n":2}') },
      ],
      [
        { ...a, callId: 'call_0' },
        { ...b, callId: 'call_1' },
      ],
    ],
    ['whose input is an object', [{ index: 0, id: 'a', function: { name: 't', arguments: { n: 1 } } }], [a]],
  ] as const)('%s are read', (_, pieces, calls) => {
    expect(callsOf(whole(...calling(...(pieces as readonly JsonObject[]))).message)).toMatchObject(calls);
  });

  it.each([['[]'], ['7'], ['"x"']])('with the input %s are malformed', (written) => {
    const [call] = callsOf(whole(...calling({ index: 0, id: 'a', ...named('t', written) })).message);
    expect(call).toMatchObject({ input: {}, malformed: written });
  });

  it('without a name make the answer a bad one', () => {
    expect(() => whole(...calling({ index: 0, id: 'a', ...input('{}') }))).toThrow(
      expect.objectContaining({ kind: 'bad_model_response' }),
    );
  });

  it('are told of once, when they begin', () => {
    const answer = new ChatInProgress('m', 'some');
    const events = calling({ index: 0, id: 'a', ...named('t') }, { index: 0, ...input('{}') }).flatMap((data) => {
      return answer.take({ type: '', data });
    });
    expect(events).toEqual([{ type: 'tool_call', name: 't' }, { type: 'alive' }]);
  });
});

describe('reasoning', () => {
  it('is streamed once where a server sends it under two names', () => {
    const answer = new ChatInProgress('m', 'some');
    const chunk = delta({ reasoning: 'hm', reasoning_content: 'hm', content: null });
    expect(answer.take({ type: '', data: chunk })).toEqual([{ type: 'reasoning_delta', text: 'hm' }]);
  });
});

describe('content', () => {
  it('that is no text makes the answer a bad one', () => {
    expect(() => take(delta({ content: [{ type: 'thinking' }] }))).toThrow(
      expect.objectContaining({ kind: 'bad_model_response', retryable: true }),
    );
  });
});
