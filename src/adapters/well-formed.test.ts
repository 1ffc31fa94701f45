import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wellFormed } from './well-formed.ts';

describe('wellFormed', () => {
  it('repairs broken halves at any depth, keys too, and keeps whole pairs', () => {
    expect(wellFormed({ 'k\ud83d': ['a\udc00b', { text: '😀\ud83d' }] })).toEqual({
      'k\ufffd': ['a\ufffdb', { text: '😀\ufffd' }],
    });
  });

  it('gives back the very value where nothing is broken', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        expect(wellFormed(value)).toBe(value);
      }),
    );
  });

  it('leaves no escaped half in the JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.string(), (value, key) => {
        expect(JSON.stringify(wellFormed({ [key]: [value, '\ud800'] }))).not.toMatch(/\\ud[89a-f]/);
      }),
    );
  });
});
