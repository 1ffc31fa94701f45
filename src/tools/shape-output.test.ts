import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonBytes } from '../protocol/json.ts';
import { content, image } from './content.ts';
import { MIN_RESULT_BYTES, shapeOutput } from './shape-output.ts';

const CAP = 192 * 1024;

function textFor(value: unknown, cap = CAP): string {
  return shapeOutput(value, cap)
    .map((block) => (block.type === 'text' ? block.text : `<${block.type}>`))
    .join('|');
}

const png = (bytes: number) => Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(bytes - 8)]);
const throwing = (): never => {
  throw new TypeError('no');
};

describe('one value', () => {
  test.each([
    ['a text stays as it is', 'plain\n"text"', 'plain\n"text"'],
    ['undefined', undefined, '(no output)'],
    ['null', null, '(no output)'],
    ['an empty text', '', '(no output)'],
    ['white space', ' \n', '(no output)'],
    ['no blocks', content(), '(no output)'],
    ['a number', 0, '0'],
    ['false', false, 'false'],
    ['NaN', Number.NaN, 'NaN'],
    ['an empty list', [], '[]'],
    ['BigInt keeps its digits', { n: 9007199254740993n, list: [1n] }, '{"n":"9007199254740993","list":["1"]}'],
    ['a date', { d: new Date('2020-01-02T03:04:05.000Z') }, '{"d":"2020-01-02T03:04:05.000Z"}'],
    ['an invalid date', new Date(Number.NaN), 'Invalid Date'],
    ['a small buffer', { b: Buffer.from([1, 2, 3]) }, '{"b":"[3 bytes, base64: AQID]"}'],
    ['a typed array', new Uint16Array([1]), '[2 bytes, base64: AQA=]'],
    ['a big buffer', Buffer.alloc(5_000), '[5000 bytes of binary data]'],
    ['an ArrayBuffer', new ArrayBuffer(2), '[2 bytes, base64: AAA=]'],
    ['a map with text keys', new Map([['k', { v: 1 }]]), '{"k":{"v":1}}'],
    ['a map with other keys', new Map([[1, 'one']]), '[[1,"one"]]'],
    ['a set', new Set(['a', 2]), '["a",2]'],
    ['an error without its stack', { e: new TypeError('bad') }, '{"e":"TypeError: bad"}'],
    ['a URL by its toJSON', { u: new URL('http://a.b/c') }, '{"u":"http://a.b/c"}'],
    ['a toJSON that throws', { toJSON: throwing, left: 1 }, '{"left":1}'],
    ['members that are undefined or functions', { a: undefined, f: throwing, s: Symbol('s'), b: 1 }, '{"b":1}'],
    ['functions and symbols in a list', [throwing, Symbol('s')], '["[Function throwing]","[Symbol(s)]"]'],
    ['a member named __proto__', JSON.parse('{"__proto__":{"x":1}}'), '{"__proto__":{"x":1}}'],
    ['boxed values', [Object(1), Object('s'), Object(true)], '[1,"s",true]'],
    ['a promise', [Promise.resolve(1)], '["[Promise]"]'],
    ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
    ['a lone surrogate in an object', { k: '\udc00' }, '{"k":"\ufffd"}'],
  ])('%s', (_, value, expected) => {
    expect(textFor(value)).toBe(expected);
  });

  test('a class instance shows its own members, a getter that throws says so', () => {
    class Point {
      readonly x = 1;
      method(): number {
        return this.x;
      }
    }
    const odd = Object.defineProperty({ ok: 1 }, 'bad', { enumerable: true, get: throwing });
    expect(textFor([new Point(), odd])).toBe('[{"x":1},{"ok":1,"bad":"[Unreadable: TypeError: no]"}]');
  });

  test('a circle is named, a value that merely comes twice is shown twice', () => {
    const circle: Record<string, unknown> = { name: 'alpha' };
    circle['self'] = circle;
    const shared = { v: 1 };
    expect(textFor([circle, shared, shared])).toBe('[{"name":"alpha","self":"[Circular]"},{"v":1},{"v":1}]');
  });

  test('a revoked proxy and a hostile proxy do no harm', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const hostile = new Proxy({}, { ownKeys: throwing });
    expect(textFor([proxy, hostile, 1])).toMatch(
      /^\["\[Unreadable: TypeError: .*","\[Unreadable: TypeError: no\]",1\]$/,
    );
  });

  test('nesting of any depth ends with a note', () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 200_000; level++) deep = [deep];
    expect(textFor(deep)).toContain('[Deeper than 64 levels]');
  });

  test('a graph that unfolds to 2^60 members is read in bounded time', () => {
    let node: unknown = 'leaf';
    for (let level = 0; level < 60; level++) node = [node, node];
    expect(textFor(node)).toContain('[cut: more than ');
    expect(textFor(new Array(1e9))).toContain('[cut: more than ');
  });
});

describe('too long', () => {
  test('head and tail stay, and a notice between them tells the full size', () => {
    const text = textFor(`HEAD-MARK${'x'.repeat(1_500_000)}TAIL-MARK`);
    expect(text).toMatch(/^HEAD-MARKx+ … \[cut: 1 500 018 bytes in all, [\d ]+ omitted here\] … x+TAIL-MARK$/);
    expect(text.length).toBeGreaterThan(190_000);
  });

  test('the cap counts bytes of JSON, so quotes and control characters weigh what they cost', () => {
    for (const unit of ['"', '\u0001', 'é', '日', 'x\u2028', '😀']) {
      const shaped = shapeOutput(unit.repeat(3_000), 2_000);
      expect(jsonBytes(shaped)).toBeLessThanOrEqual(2_000);
      expect(jsonBytes(shaped)).toBeGreaterThan(1_950);
    }
  });

  test('a character of two units is never cut in half', () => {
    for (let shift = 0; shift < 4; shift++) {
      const text = textFor(`${'a'.repeat(shift)}${'😀'.repeat(1_000)}`, 1_000);
      expect(text).not.toMatch(/\p{Surrogate}/u);
      expect(text).not.toContain('\ufffd');
    }
  });

  test('an object is cut like a text', () => {
    expect(textFor({ list: new Array(100_000).fill('item') })).toMatch(/^\{"list":\["item".*\[cut: .*"item"\]\}$/s);
  });
});

test('no value makes it throw, and no result is empty or over its cap', () => {
  const value = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withNullPrototype: true,
    withBoxedValues: true,
    withSparseArray: true,
  });
  const text = fc.string({ unit: 'binary', maxLength: 3_000 });
  const part = fc.oneof(
    text,
    fc.uint8Array({ maxLength: 9 }).map((bytes) => image('\u0001"日'.repeat(30), bytes)),
    fc.uint8Array({ maxLength: 2_000 }).map((bytes) => image('\u0001'.repeat(90), Buffer.concat([png(8), bytes]))),
  );
  const output = fc.oneof(
    value,
    text,
    fc.array(part, { maxLength: 40 }).map((parts) => content(...parts)),
  );
  fc.assert(
    fc.property(output, fc.integer({ min: MIN_RESULT_BYTES, max: 4_000 }), (any, cap) => {
      const shaped = shapeOutput(any, cap);
      expect(shaped.length).toBeGreaterThan(0);
      expect(jsonBytes(shaped)).toBeLessThanOrEqual(cap);
      for (const block of shaped) {
        if (block.type !== 'text') continue;
        expect(block.text.trim()).not.toBe('');
        expect(block.text).not.toMatch(/\p{Surrogate}|\\ud[89a-f]/u);
      }
    }),
    { numRuns: 500 },
  );
});
