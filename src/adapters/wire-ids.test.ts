import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../protocol/messages.ts';
import { wireIds } from './wire-ids.ts';

function calling(callIds: readonly string[]): Message[] {
  const content = callIds.map((callId) => ({ type: 'call' as const, callId, name: 't', input: {} }));
  return [{ role: 'assistant', content }];
}

describe('wireIds', () => {
  it('leaves legal ids alone', () => {
    expect(wireIds(calling(['toolu_1-A']))('toolu_1-A')).toBe('toolu_1-A');
  });

  it('gives different ids different legal names, the same in every longer conversation', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string()), fc.nat(), (callIds, cut) => {
        const names = callIds.map(wireIds(calling(callIds)));
        expect(new Set(names).size).toBe(callIds.length);
        for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]+$/);
        const shorter = callIds.slice(0, cut);
        expect(shorter.map(wireIds(calling(shorter)))).toEqual(names.slice(0, cut));
      }),
    );
  });

  it('gives way to a legal id that looks like a spelled one', () => {
    const nameOf = wireIds(calling(['a.b', 'a_2eb']));
    expect(nameOf('a_2eb')).toBe('a_2eb');
    expect(nameOf('a.b')).not.toBe('a_2eb');
  });
});
