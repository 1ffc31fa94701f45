import { describe, expect, it } from 'vitest';
import { callsOf, type JsonObject, type JsonValue } from '../protocol/messages.ts';
import { NO_USAGE } from '../protocol/run.ts';
import { GeminiInProgress } from './google-answer.ts';
import type { ModelEvent } from './model-adapter.ts';

type Finished = Extract<ModelEvent, { type: 'finished' }>;

function take(...chunks: readonly JsonObject[]): GeminiInProgress {
  const answer = new GeminiInProgress('asked-model');
  for (const data of chunks) answer.take({ type: '', data });
  return answer;
}

function candidate(fields: JsonObject): JsonObject {
  return { candidates: [{ index: 0, ...fields }] };
}

const saying = (...parts: readonly JsonValue[]) => candidate({ content: { role: 'model', parts } });
const CALL = { functionCall: { name: 't', args: { a: 1 } } };

function whole(...chunks: readonly JsonObject[]): Finished {
  return take(...chunks, candidate({ finishReason: 'STOP' })).end() as Finished;
}

describe('a finish reason', () => {
  it.each([
    ['STOP', 'end_turn'],
    ['MAX_TOKENS', 'max_tokens'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['LANGUAGE', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
    ['IMAGE_RECITATION', 'content_filter'],
  ])('%s is %s', (raw, stopReason) => {
    expect(take(candidate({ finishReason: raw, finishMessage: 'Why.' })).end()).toMatchObject({
      stopReason,
      rawStopReason: raw,
      stopDetails: 'Why.',
    });
  });

  it.each(['OTHER', 'FINISH_REASON_UNSPECIFIED', 'REASON_OF_TOMORROW'])('%s is unknown', (raw) => {
    expect(() => take(candidate({ finishReason: raw })).end()).toThrow(
      expect.objectContaining({ kind: 'unknown_stop_reason', retryable: false }),
    );
  });

  it('that never comes leaves the answer incomplete', () => {
    expect(() => take(saying({ text: 'a' })).end()).toThrow(expect.objectContaining({ kind: 'stream_incomplete' }));
  });

  it('STOP after calls means the calls', () => {
    expect(whole(saying(CALL)).stopReason).toBe('tool_use');
  });

  it.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL'])(
    '%s has a stop reason of its own, and no call of that answer is ever seen',
    (finishReason) => {
      const answer = take(saying(CALL), candidate({ finishReason, finishMessage: 'print(t(' }));
      expect(answer.end()).toMatchObject({
        stopReason: 'malformed_call',
        stopDetails: 'print(t(',
        message: { content: [] },
      });
    },
  );

  it('stands for a prompt that was blocked, which has no candidate', () => {
    expect(take({ promptFeedback: { blockReason: 'SAFETY' } }).end()).toMatchObject({
      stopReason: 'content_filter',
      stopDetails: 'prompt blocked: SAFETY',
      message: { content: [] },
    });
  });
});

describe('parts', () => {
  it('of thought are opaque, and streamed as reasoning', () => {
    const answer = new GeminiInProgress('m');
    const parts: JsonObject[] = [{ text: 'h', thought: true }, { text: 'm', thought: true }, { text: 'Hi.' }];
    const events = parts.flatMap((part) => answer.take({ type: '', data: saying(part) }));
    expect(events).toEqual([
      { type: 'reasoning_delta', text: 'h' },
      { type: 'reasoning_delta', text: 'm' },
      { type: 'text_delta', text: 'Hi.' },
    ]);
    answer.take({ type: '', data: candidate({ finishReason: 'STOP' }) });
    expect((answer.end() as Finished).message.content).toEqual([
      { type: 'opaque', provider: 'google', value: { text: 'hm', thought: true } },
      { type: 'text', text: 'Hi.' },
    ]);
  });

  it('that call one function twice, without ids, are two calls', () => {
    expect(callsOf(whole(saying(CALL, CALL)).message)).toMatchObject([{ callId: 'call_0' }, { callId: 'call_1' }]);
  });

  it.each([
    [undefined, {}, undefined],
    [null, {}, undefined],
    [[], {}, '[]'],
    [7, {}, '7'],
  ])('with the input %j never give a tool anything but an object', (args, input, malformed) => {
    const functionCall = { name: 't', ...(args !== undefined && { args }) };
    const [call] = callsOf(whole(saying({ functionCall })).message);
    expect({ input: call?.input, malformed: call?.malformed }).toEqual({ input, malformed });
  });

  it.each([
    ['no list', candidate({ content: { parts: 'x' } })],
    ['no objects', saying('x')],
    ['a call without a name', saying({ functionCall: { args: {} } })],
  ])('that are %s make the answer a bad one', (_, chunk) => {
    expect(() => take(chunk)).toThrow(expect.objectContaining({ kind: 'bad_model_response', retryable: true }));
  });
});

describe('usage', () => {
  it('counts thoughts as output, and cached tokens once', () => {
    const usageMetadata = {
      promptTokenCount: 10,
      cachedContentTokenCount: 4,
      toolUsePromptTokenCount: 1,
      candidatesTokenCount: 2,
      thoughtsTokenCount: 3,
    };
    const usage = { inputTokens: 7, outputTokens: 5, cacheReadTokens: 4, cacheWriteTokens: 0, reasoningTokens: 3 };
    expect(take().take({ type: '', data: { usageMetadata } })).toEqual([{ type: 'usage', usage }]);
  });

  it.each([undefined, null, '3'])('without a number of thoughts (%j) has none', (thoughtsTokenCount) => {
    const counts = { candidatesTokenCount: 2, ...(thoughtsTokenCount !== undefined && { thoughtsTokenCount }) };
    const [event] = take().take({ type: '', data: { usageMetadata: counts } });
    expect(event).toEqual({ type: 'usage', usage: { ...NO_USAGE, outputTokens: 2 } });
  });

  it('of an answer that was all thought has no other output', () => {
    const [event] = take().take({ type: '', data: { usageMetadata: { thoughtsTokenCount: 20 } } });
    expect(event).toEqual({ type: 'usage', usage: { ...NO_USAGE, outputTokens: 20, reasoningTokens: 20 } });
  });
});
