import fc from 'fast-check';
import { expect, test } from 'vitest';
import { utf8Bytes } from '../protocol/json.ts';
import { errorText } from './error-text.ts';
import { ToolError } from './tool.ts';

const DEFAULT = 'The tool "t" failed and gave no reason.';
const throwing = (): never => {
  throw new Error('inner');
};

test.each<[string, unknown, string]>([
  ['a text', 'plain text problem', 'plain text problem'],
  ['null', null, DEFAULT],
  ['undefined', undefined, DEFAULT],
  ['an empty text', ' ', DEFAULT],
  ['an empty error', new Error(''), DEFAULT],
  ['an empty object', {}, DEFAULT],
  ['an error', new Error('it broke'), 'it broke'],
  ['a ToolError', new ToolError('no such city'), 'no such city'],
  ['a TypeError', new TypeError('x is not a function'), 'TypeError: x is not a function'],
  ['a number', 42, '42'],
  ['a plain object', { reason: 'quota' }, '{"reason":"quota"}'],
  ['an object like an error', { message: 'looks like one' }, 'looks like one'],
  [
    'a cause',
    new Error('fetch failed', { cause: new Error('ECONNREFUSED 127.0.0.1') }),
    'fetch failed (cause: ECONNREFUSED 127.0.0.1)',
  ],
  ['a cause that the message tells already', new Error('bad: 1', { cause: new Error('bad') }), 'bad: 1'],
  ['members', new AggregateError([new Error('a'), new Error('b')]), 'a; b'],
  [
    'many members',
    new AggregateError([1, 2, 3, 4, 5], 'all failed'),
    'AggregateError: all failed: 1; 2; 3; and 2 more',
  ],
  [
    'a code without a message',
    Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
    'AggregateError: ECONNREFUSED',
  ],
  ['a message that holds a stack', 'bad\n    at run (file.ts:1:2)\n    at x (y:1:1)', 'bad'],
  [
    'a message getter that throws',
    {
      get message() {
        return throwing();
      },
    },
    DEFAULT,
  ],
  ['a circular object', Object.assign([], { 0: {} }), '[{}]'],
])('%s', (_, thrown, expected) => {
  expect(errorText(thrown, 't')).toBe(expected);
});

test('a cause that is its own cause ends', () => {
  const error = new Error('again');
  error.cause = error;
  expect(errorText(error, 't')).toBe('again');
});

test('a huge message is cut to 4 KiB', () => {
  expect(utf8Bytes(errorText(new Error('日'.repeat(50_000)), 't'))).toBeLessThanOrEqual(4_096);
});

test('any thrown value gives a text that is not empty, well-formed and short', () => {
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withMap: true }), (thrown) => {
      const text = errorText(thrown, 't');
      expect(text.trim()).not.toBe('');
      expect(utf8Bytes(text)).toBeLessThanOrEqual(4_096);
      expect(text).not.toMatch(/\p{Surrogate}/u);
    }),
  );
});
