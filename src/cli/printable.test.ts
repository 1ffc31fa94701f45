import fc from 'fast-check';
import { expect, test } from 'vitest';
import { oneLine, printable, printableJson } from './printable.ts';

test('an escape sequence is shown instead of obeyed', () => {
  expect(printable('\u001b[2J\u001b]0;title\u0007done')).toBe('␛[2J␛]0;title␇done');
});

test('a lone carriage return, backspace and DEL are shown, a Windows line end is a line end', () => {
  expect(printable('safe\rrm\b\u007f\r\nnext')).toBe('safe␍rm␈␡\nnext');
});

test('C1 controls and the marks that reorder text are named', () => {
  expect(printable('a\u009b31mb\u202ec\u2066d')).toBe('a<U+009B>31mb<U+202E>c<U+2066>d');
});

test('ordinary text of any language, with tabs and line ends, is unchanged', () => {
  const text = 'Zürich\t서울\n東京 👩‍👩‍👧 — ok';
  expect(printable(text)).toBe(text);
});

test('no text at all lets a control character through', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(printable(text)).not.toMatch(/(?![\t\n])\p{Cc}/u);
      expect(oneLine(text, 40)).not.toMatch(/\p{Cc}/u);
    }),
  );
});

test('JSON keeps its value, and lets no control character through', () => {
  const value = { text: 'a\u001b[2J\u009b\u007f\u202e\n' };
  expect(printableJson(value)).toBe('{"text":"a\\u001b[2J\\u009b\\u007f\\u202e\\n"}');
  expect(printableJson([1], 2)).toBe('[\n  1\n]');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(JSON.parse(printableJson({ text }))).toEqual({ text });
      expect(printableJson({ text })).not.toMatch(/\p{Cc}/u);
    }),
  );
});

test('one line is never longer than asked for, and says when it was cut', () => {
  expect(oneLine('a\n  b\tc', 10)).toBe('a b c');
  expect(oneLine('0123456789', 10)).toBe('0123456789');
  expect(oneLine('0123456789x', 10)).toBe('012345678…');
  expect(oneLine('ab'.padEnd(1_000_000), 10)).toBe('ab…');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 30 }), (text, columns) => {
      expect([...oneLine(text, columns)].length).toBeLessThanOrEqual(columns);
    }),
  );
});
