import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../protocol/messages.ts';
import { wireIds } from './wire-ids.ts';

function calling(callIds: readonly string[]): Message[] {
  const content = callIds.map((callId) => ({ type: 'call' as const, callId, name: 't', input: {} }));
  return [{ role: 'assistant', content }];
}

/** The shortest that a service takes. */
const MAX_CHARS = 40;

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

  it('shortens long ids to different ones, the same in every longer conversation', () => {
    const long = (end: string) => `fc_${'0123456789abcdef'.repeat(4)}${end}`;
    const nameOf = wireIds(calling([long('a'), long('b'), 'short']), MAX_CHARS);
    expect(nameOf(long('a'))).toHaveLength(MAX_CHARS);
    expect(nameOf(long('a'))).not.toBe(nameOf(long('b')));
    expect(nameOf('short')).toBe('short');
    expect(wireIds(calling([long('a')]), MAX_CHARS)(long('a'))).toBe(nameOf(long('a')));
  });

  it('keeps to the longest length, whatever the ids are', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ maxLength: 90 })), (callIds) => {
        const names = callIds.map(wireIds(calling(callIds), MAX_CHARS));
        expect(new Set(names).size).toBe(callIds.length);
        for (const name of names) expect(name.length).toBeLessThanOrEqual(MAX_CHARS);
      }),
    );
  });
});
