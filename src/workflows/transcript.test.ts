import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aSnapshot } from '../../test/support/loop-fakes.ts';
import type { ToolResult } from '../protocol/activities.ts';
import { messagesProblem } from '../protocol/check-messages.ts';
import { type AssistantMessage, type Message, userMessage } from '../protocol/messages.ts';

import {
  answer,
  carriedTranscript,
  mark,
  newTranscript,
  pageOf,
  record,
  restoreTranscript,
  rollBack,
  say,
  segmentsOf,
  type Transcript,
} from './transcript.ts';

const messagesOf = (transcript: Transcript): Message[] => [
  ...transcript.lines.map((line) => JSON.parse(line) as Message),
  ...transcript.pending,
];

const asking = (...ids: string[]): AssistantMessage => ({
  role: 'assistant',
  content: ids.map((callId) => ({ type: 'call', callId, name: 'look', input: {} })),
});
const saying = (text: string): AssistantMessage => ({ role: 'assistant', content: [{ type: 'text', text }] });
const result = (callId: string, outcome: ToolResult['outcome'] = 'completed'): ToolResult => ({
  callId,
  outcome,
  content: [{ type: 'text', text: `result of ${callId}` }],
});

describe('transcript', () => {
  test('results stand in the order of the calls, whatever the order in which they came', () => {
    const transcript = newTranscript(aSnapshot());
    say(transcript, userMessage('go'));
    record(transcript, { message: asking('a', 'b', 'c'), digest: 'd1', contextTokens: 0 });
    answer(transcript, [result('c'), result('a', 'failed'), result('b')]);
    expect(transcript.pending).toEqual([
      {
        role: 'user',
        content: [
          { type: 'result', callId: 'a', content: [{ type: 'text', text: 'result of a' }], isError: true },
          { type: 'result', callId: 'b', content: [{ type: 'text', text: 'result of b' }] },
          { type: 'result', callId: 'c', content: [{ type: 'text', text: 'result of c' }] },
        ],
      },
    ]);
  });

  test('what a user says meanwhile follows the results in the same message', () => {
    const transcript = newTranscript(aSnapshot());
    say(transcript, userMessage('go'));
    record(transcript, { message: asking('a'), digest: 'd1', contextTokens: 0 });
    answer(transcript, [result('a')]);
    say(transcript, userMessage('and the weather?'));
    expect(transcript.pending[0]?.content.map((block) => block.type)).toEqual(['result', 'text']);
    expect(transcript.pending).toHaveLength(1);
  });

  test('a user message before the results is a bug, and says so', () => {
    const transcript = newTranscript(aSnapshot());
    say(transcript, userMessage('go'));
    record(transcript, { message: asking('a'), digest: 'd1', contextTokens: 0 });
    expect(() => say(transcript, userMessage('too early'))).toThrow('1 calls are open');
  });

  test('a missing, a double and a foreign result are bugs', () => {
    const open = (): Transcript => {
      const transcript = newTranscript(aSnapshot());
      record(transcript, { message: asking('a', 'b'), digest: 'd1', contextTokens: 0 });
      return transcript;
    };
    expect(() => answer(open(), [result('a')])).toThrow('2 calls are open, and 1 results');
    expect(() => answer(open(), [result('a'), result('a')])).toThrow('2 calls are open');
    expect(() => answer(open(), [result('a'), result('x')])).toThrow('call b has no result');
  });

  test('an answer without a message leaves no empty message behind', () => {
    const transcript = newTranscript(aSnapshot());
    say(transcript, userMessage('go'));
    record(transcript, { message: null, digest: 'd1', contextTokens: 0 });
    expect(messagesOf(transcript)).toEqual([userMessage('go')]);
    expect(transcript.digest).toBe('d1');
  });

  test('rolling back forgets everything since the mark', () => {
    const transcript = newTranscript(aSnapshot());
    say(transcript, userMessage('first'));
    record(transcript, { message: saying('yes'), digest: 'd1', contextTokens: 0 });
    const before = mark(transcript);
    say(transcript, userMessage('second'));
    record(transcript, { message: asking('a'), digest: 'd2', contextTokens: 0 });
    rollBack(transcript, before);
    expect(messagesOf(transcript)).toEqual([userMessage('first'), saying('yes')]);
    expect(transcript.digest).toBe('d1');
    expect(transcript.open).toEqual([]);
  });

  test('pages of any size join to the JSON lines of head and messages', () => {
    const texts = fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { maxLength: 12 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 60 }), fc.nat(12), (said, chars, wanted) => {
        const transcript = newTranscript(aSnapshot());
        for (const text of said) record(transcript, { message: saying(`x${text}`), digest: 'd', contextTokens: 0 });
        const length = Math.min(wanted, transcript.lines.length);
        const all = [transcript.head, ...transcript.lines.slice(0, length)].join('\n');
        let joined = '';
        for (
          let page = pageOf(transcript, length, 0, chars);
          ;
          page = pageOf(transcript, length, joined.length, chars)
        ) {
          joined += page;
          if (page.length < chars) break;
        }
        expect(joined).toBe(all);
      }),
    );
  });

  test('segments carry a transcript into the next link unchanged, and the closed ones stay the same', () => {
    const transcript = newTranscript(aSnapshot());
    for (let i = 0; i < 30; i++)
      record(transcript, { message: saying(`${i} ${'x'.repeat(30_000)}`), digest: `d${i}`, contextTokens: 0 });
    const segments = segmentsOf(transcript);
    const restored = restoreTranscript(carriedTranscript(transcript), segments);
    expect(segments.length).toBeGreaterThan(2);
    expect(restored).toEqual(transcript);
    record(restored, { message: saying('one more'), digest: 'd', contextTokens: 0 });
    expect(segmentsOf(restored).slice(0, -1)).toEqual(segments.slice(0, -1));
  });

  test('whatever happens in whatever order, every call is answered exactly once and nothing is empty', () => {
    const happening = fc.oneof(
      fc.record({ type: fc.constant('answer' as const), calls: fc.nat(4), text: fc.boolean() }),
      fc.record({ type: fc.constant('say' as const), text: fc.string({ maxLength: 3 }) }),
      fc.record({ type: fc.constant('nothing' as const) }),
      fc.record({ type: fc.constant('rollBack' as const) }),
    );
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 25 }), fc.infiniteStream(fc.boolean()), (events, shuffle) => {
        const transcript = newTranscript(aSnapshot());
        say(transcript, userMessage('go'));
        let start = mark(transcript);
        let id = 0;
        for (const event of events) {
          switch (event.type) {
            case 'say':
              start = mark(transcript);
              say(transcript, userMessage(event.text));
              break;
            case 'nothing':
              record(transcript, { message: null, digest: `d${id}`, contextTokens: 0 });
              break;
            case 'rollBack':
              rollBack(transcript, start);
              break;
            case 'answer': {
              const calls = Array.from({ length: event.calls }, () => `c${id++}`);
              const message = event.calls > 0 ? asking(...calls) : saying('text');
              record(transcript, { message, digest: `d${id}`, contextTokens: 0 });
              const results = calls.map((call) => result(call));
              answer(transcript, shuffle.next().value ? results.reverse() : results);
            }
          }
          expect(messagesProblem(messagesOf(transcript))).toBeUndefined();
        }
      }),
    );
  });
});
