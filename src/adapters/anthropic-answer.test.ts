import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../protocol/messages.ts';
import { NO_USAGE } from '../protocol/run.ts';
import { AnswerInProgress } from './anthropic-answer.ts';
import type { ModelEvent } from './model-adapter.ts';

type Finished = Extract<ModelEvent, { type: 'finished' }>;
type Piece = readonly [type: string, event: JsonObject];

const START: Piece = ['message_start', { message: { model: 'claude-1', content: [], usage: { input_tokens: 20 } } }];
const STOP: Piece = ['message_stop', {}];
const stopping = (stop_reason: JsonValue, more: JsonObject = {}): Piece => [
  'message_delta',
  { delta: { stop_reason, ...more } },
];
const begin = (index: number, content_block: JsonObject): Piece => ['content_block_start', { index, content_block }];
const delta = (index: number, piece: JsonObject): Piece => ['content_block_delta', { index, delta: piece }];
const json = (index: number, partial_json: string): Piece => delta(index, { type: 'input_json_delta', partial_json });
const end = (index: number): Piece => ['content_block_stop', { index }];
const CALL = { type: 'tool_use', id: 'toolu_1', name: 't', input: {} };

function take(pieces: readonly Piece[]): ModelEvent[] {
  const answer = new AnswerInProgress('asked-model');
  return pieces.map(([type, event]) => answer.take(type, event));
}

function whole(...pieces: readonly Piece[]): Finished {
  return take([START, ...pieces, stopping('end_turn'), STOP]).at(-1) as Finished;
}

function callWith(input: JsonValue, ...partials: string[]) {
  const pieces = partials.map((partial) => json(0, partial));
  return whole(begin(0, { ...CALL, input }), ...pieces, end(0)).message.content[0];
}

describe('the input of a call', () => {
  it('is parsed once, from all its pieces, also where an escape is cut', () => {
    const call = callWith({}, '', '{"ti', 'tle": "a\\', '"b", "body": "line1\\', 'nline2 \\u00', 'e9"}');
    expect(call).toEqual({
      type: 'call',
      callId: 'toolu_1',
      name: 't',
      input: { title: 'a"b', body: 'line1\nline2 é' },
    });
  });

  it.each([
    ['no piece', {}, []],
    ['an empty piece', {}, ['']],
    ['white space', {}, [' ']],
    ['null', {}, ['null']],
    ['an empty string', {}, ['""']],
    ['null at the start', null, []],
    ['an empty string at the start', '', []],
  ] as const)('is {} for %s', (_, input, partials) => {
    expect(callWith(input, ...partials)).toEqual({ type: 'call', callId: 'toolu_1', name: 't', input: {} });
  });

  it('is what stands at the start where no piece comes', () => {
    expect(callWith({ a: 1 })).toMatchObject({ input: { a: 1 } });
  });

  it.each([
    ['broken JSON', {}, ['{"path": "/tmp/x'], '{"path": "/tmp/x'],
    ['a list', {}, ['[]'], '[]'],
    ['a number', {}, ['7'], '7'],
    ['a text', {}, ['"x"'], '"x"'],
    ['a list at the start', [], [], '[]'],
    ['a number at the start', 7, [], '7'],
  ] as const)('is kept as text where it is %s', (_, input, partials, malformed) => {
    expect(callWith(input, ...partials)).toMatchObject({ input: {}, malformed });
  });

  it('is cut to 1 KiB where it is kept as text', () => {
    const { malformed } = callWith({}, `[${'é'.repeat(5_000)}`) as { malformed: string };
    expect(Buffer.byteLength(malformed)).toBeLessThanOrEqual(1_024);
  });
});

describe('events', () => {
  it('tell text, reasoning, complete calls, usage and signs of life', () => {
    const pieces = [
      START,
      ['ping', {}] as Piece,
      begin(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'hm' }),
      delta(0, { type: 'signature_delta', signature: 's' }),
      begin(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'hi' }),
      begin(2, CALL),
      json(2, '{}'),
      end(2),
      ['message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } }] as Piece,
      ['event_of_tomorrow', {}] as Piece,
    ];
    expect(take(pieces)).toEqual([
      { type: 'usage', usage: { ...NO_USAGE, inputTokens: 20 } },
      { type: 'alive' },
      { type: 'alive' },
      { type: 'reasoning_delta', text: 'hm' },
      { type: 'alive' },
      { type: 'alive' },
      { type: 'text_delta', text: 'hi' },
      { type: 'alive' },
      { type: 'alive' },
      { type: 'tool_call', name: 't' },
      { type: 'usage', usage: { ...NO_USAGE, inputTokens: 20, outputTokens: 9 } },
      { type: 'alive' },
    ]);
  });
});

describe('the finished answer', () => {
  it('has the last numbers of each kind of token, and the model that answered', () => {
    const usage = { output_tokens: 7, cache_read_input_tokens: 3, cache_creation_input_tokens: 4, input_tokens: null };
    const answer = take([START, ['message_delta', { delta: { stop_reason: 'end_turn' }, usage }], STOP]).at(-1);
    expect(answer).toMatchObject({
      model: 'claude-1',
      usage: { inputTokens: 20, outputTokens: 7, cacheReadTokens: 3, cacheWriteTokens: 4, reasoningTokens: 0 },
    });
  });

  it.each<[thinking: string, details: readonly JsonValue[], reasoningTokens: number]>([
    ['nothing', [null, null], 0],
    ['nothing that is a number', [{}, { thinking_tokens: null }], 0],
    ['as much as its last breakdown says', [{ thinking_tokens: 1 }, { thinking_tokens: 5 }], 5],
    ['as much as before where the last has none', [{ thinking_tokens: 5 }, null], 5],
    ['all of its output, and never more', [null, { thinking_tokens: 8 }], 7],
  ])('has thought %s', (_, details, reasoningTokens) => {
    const deltas = details.map((output_tokens_details): Piece => {
      return [
        'message_delta',
        { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7, output_tokens_details } },
      ];
    });
    expect(take([START, ...deltas, STOP]).at(-1)).toMatchObject({ usage: { outputTokens: 7, reasoningTokens } });
  });

  it('counts no tokens where the service says nothing, and names the model that was asked', () => {
    const answer = take([['message_start', { message: { usage: null } }], stopping('end_turn'), STOP]).at(-1);
    expect(answer).toMatchObject({ model: 'asked-model', usage: { inputTokens: 0, outputTokens: 0 } });
  });

  it.each([
    ['end_turn', 'end_turn'],
    ['tool_use', 'tool_use'],
    ['max_tokens', 'max_tokens'],
    ['stop_sequence', 'stop_sequence'],
    ['pause_turn', 'pause_turn'],
    ['refusal', 'refusal'],
    ['model_context_window_exceeded', 'context_overflow'],
  ])('stopped by %s is %s', (raw, stopReason) => {
    expect(take([START, stopping(raw), STOP]).at(-1)).toMatchObject({ stopReason, rawStopReason: raw });
  });

  it('has the words of a refusal', () => {
    const stop_details = { type: 'refusal', category: 'cyber', explanation: 'Made up.' };
    const answer = take([START, stopping('refusal', { stop_details }), STOP]).at(-1);
    expect(answer).toMatchObject({ stopDetails: 'cyber: Made up.', message: { content: [] } });
  });
});

describe('a malformed answer', () => {
  const missing = (field: string) =>
    begin(0, Object.fromEntries(Object.entries(CALL).filter(([key]) => key !== field)));

  it.each<[string, readonly Piece[]]>([
    ['no message', [['message_start', {}]]],
    ['content that is no list', [['message_start', { message: { content: 'x' } }]]],
    ['null content', [['message_start', { message: { content: null } }]]],
    ['a block without index', [START, ['content_block_start', { content_block: CALL }]]],
    ['a block that is none', [START, ['content_block_start', { index: 0, content_block: null }]]],
    ['a block without type', [START, begin(0, {})]],
    ['a block that begins twice', [START, begin(0, CALL), begin(0, CALL)]],
    ['a call without id', [START, missing('id')]],
    ['a call without name', [START, missing('name')]],
    ['a piece of no block', [START, json(0, '{}')]],
    ['a piece that is none', [START, begin(0, CALL), ['content_block_delta', { index: 0 }]]],
    ['an end of no block', [START, end(0)]],
    ['no delta', [START, ['message_delta', {}]]],
    ['an end before the beginning', [STOP]],
  ])('with %s is named, and worth another attempt', (_, pieces) => {
    expect(() => take(pieces)).toThrow(expect.objectContaining({ kind: 'bad_model_response', retryable: true }));
  });

  it.each([null, undefined])('without a stop reason (%s) is incomplete', (reason) => {
    const pieces = reason === undefined ? [START, STOP] : [START, stopping(reason), STOP];
    expect(() => take(pieces)).toThrow(expect.objectContaining({ kind: 'stream_incomplete', retryable: true }));
  });

  it.each(['reason_of_tomorrow', 'constructor'])('with the stop reason %s is named', (reason) => {
    const expected = { kind: 'unknown_stop_reason', retryable: false, message: expect.stringContaining(reason) };
    expect(() => take([START, stopping(reason), STOP])).toThrow(expect.objectContaining(expected));
  });
});
