import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/protocol/messages.ts';
import { pairFaults } from './transcript-pairs.ts';

const ask: Message = { role: 'assistant', content: [{ type: 'call', callId: 'c1', name: 'a', input: {} }] };
const text = { type: 'text' as const, text: 'ok' };
const result = { type: 'result' as const, callId: 'c1', content: [text] };

describe('the pairs of a transcript', () => {
  it('are valid when each call is answered in the next message', () => {
    expect(pairFaults([ask, { role: 'user', content: [result, text] }])).toEqual([]);
  });

  it.each<[string, readonly Message[], string]>([
    ['at the end', [ask], 'call c1 has no result'],
    ['by a later message', [ask, { role: 'user', content: [text] }], 'call c1 has no result'],
    ['twice', [ask, { role: 'user', content: [result, result] }], 'call c1 is answered twice'],
  ])('are not when a call is left open or answered %s', (_, messages, fault) => {
    expect(pairFaults(messages)).toContain(fault);
  });

  it('are not when a result has no call', () => {
    const stray = { ...result, callId: 'c2' };
    expect(pairFaults([ask, { role: 'user', content: [result, stray] }])).toEqual(['result c2 has no call']);
    expect(pairFaults([{ role: 'user', content: [stray] }])).toEqual(['result c2 has no call']);
  });
});
