// The law of every adapter, for Gemini: provider → neutral → the same provider is deep-equal, in order.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJson } from '../../test/adapters/any-json.ts';
import type { AssistantMessage, JsonObject } from '../protocol/messages.ts';
import { GeminiInProgress } from './google-answer.ts';
import { toContents } from './google-request.ts';

function received(parts: readonly JsonObject[]): AssistantMessage {
  const answer = new GeminiInProgress('gemini-1');
  for (const part of parts) answer.take({ type: '', data: { candidates: [{ content: { parts: [part] } }] } });
  answer.take({ type: '', data: { candidates: [{ finishReason: 'STOP' }] } });
  const finished = answer.end();
  return finished.type === 'finished' ? finished.message : expect.fail('the answer is not finished');
}

function sentBack(message: AssistantMessage, model = 'gemini-2.5-flash'): unknown {
  return toContents([JSON.parse(JSON.stringify(message))], model).flatMap((content) => content['parts']);
}

const call = (more: JsonObject = {}) => ({ functionCall: { name: 'a', args: {} }, ...more });

describe('the parts go back deep-equal', () => {
  it('whatever they are', () => {
    fc.assert(
      fc.property(fc.array(parts(), { maxLength: 8 }), (random) => {
        expect(sentBack(received(random))).toEqual(joined(random));
      }),
    );
  });

  it('with each signature on the part that it came with, one that comes alone too', () => {
    const signed = [call({ thoughtSignature: 's1' }), call(), { text: '', thoughtSignature: 's2' }];
    expect(sentBack(received(signed), 'gemini-3-pro')).toEqual(signed);
  });

  it('with the ids that the service gave, and without those that it did not give', () => {
    const message = received([{ functionCall: { name: 'a', args: {}, id: 'x' } }, call()]);
    expect(message.content).toMatchObject([{ callId: 'x' }, { callId: 'call_1' }]);
    expect(sentBack(message)).toEqual([{ functionCall: { name: 'a', args: {}, id: 'x' } }, call()]);
  });
});

function parts(): fc.Arbitrary<JsonObject> {
  const anyObject = fc.dictionary(fc.string(), anyJson());
  const text = fc.string().filter((words) => words.trim() !== '');
  const signature = { thoughtSignature: fc.string({ minLength: 1 }), partOfTomorrow: anyObject };
  const called = fc.record(
    { name: fc.constantFrom('a', 'b'), args: anyObject, id: fc.uuid() },
    { requiredKeys: ['name', 'args'] },
  );
  return fc.oneof(
    fc.record({ text, ...signature }, { requiredKeys: ['text'] }),
    fc.record({ text, thought: fc.constant(true), ...signature }, { requiredKeys: ['text', 'thought'] }),
    fc.record({ functionCall: called, ...signature }, { requiredKeys: ['functionCall'] }),
    fc.record({ executableCode: anyObject }),
    anyObject.map((fields) => ({ ...fields, text: 1 })),
  ) as fc.Arbitrary<JsonObject>;
}

/** Texts of one kind that follow each other, with nothing else on them, are one text in pieces. */
function joined(all: readonly JsonObject[]): JsonObject[] {
  const whole: JsonObject[] = [];
  for (const part of all) {
    const last = whole.at(-1);
    const joins = last !== undefined && isPlain(part) && isPlain(last) && part['thought'] === last['thought'];
    if (joins) whole[whole.length - 1] = { ...last, text: `${last['text']}${part['text']}` };
    else whole.push(part);
  }
  return whole;
}

function isPlain(part: JsonObject): boolean {
  return typeof part['text'] === 'string' && Object.keys(part).every((key) => ['text', 'thought'].includes(key));
}
