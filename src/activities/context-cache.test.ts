import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message } from '../protocol/messages.ts';
import { ContextCache, emptyContext, extendContext } from './context-cache.ts';
import { canonicalJson, digestAfter, headDigest, nextDigest } from './digest.ts';

const HEAD = { instructions: 'be brief', tools: [] };
const EMPTY = emptyContext(HEAD);

function message(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

test('a digest does not depend on the order of keys or on undefined members', () => {
  expect(canonicalJson({ b: 1, a: { d: undefined, c: [{ y: 1, x: 2 }] } })).toBe('{"a":{"c":[{"x":2,"y":1}]},"b":1}');
});

test('a digest is the same before and after a trip through JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(JSON.parse(JSON.stringify(value)))).toBe(canonicalJson(value));
    }),
  );
});

test('the digest of a context is the chain over its head and messages', () => {
  const [a, b] = [message('a'), message('b')];
  const chained = nextDigest(nextDigest(headDigest(HEAD), a), b);
  expect(extendContext(extendContext(EMPTY, [a]), [b]).digest).toBe(chained);
  expect(digestAfter(headDigest(HEAD), [a, b])).toBe(chained);
  expect(digestAfter(headDigest(HEAD), [b, a])).not.toBe(chained);
});

test('a longer context shares the messages of the one before, and leaves it as it is', () => {
  const base = extendContext(EMPTY, [message('a')]);
  const next = extendContext(base, [message('b')]);
  expect(base.messages).toHaveLength(1);
  expect(next.messages[0]).toBe(base.messages[0]);
});

test('a linear run keeps its last two contexts and the empty one', () => {
  const cache = new ContextCache(1_000_000);
  cache.set(EMPTY);
  let base = EMPTY;
  const digests = [base.digest];
  for (const text of ['a', 'b', 'c', 'd', 'e']) {
    const kept = cache.get(base.digest);
    expect(kept).toBeDefined();
    const next = extendContext(kept ?? base, [message(text)]);
    cache.advance(kept ?? base, next);
    digests.push(next.digest);
    base = next;
  }
  expect(digests.map((digest) => cache.get(digest) !== undefined)).toEqual([true, false, false, false, true, true]);
});

test('a second attempt still finds the base of the first, whatever that one has kept', () => {
  const cache = new ContextCache(1_000_000);
  const base = extendContext(EMPTY, [message('a')]);
  cache.advance(EMPTY, base);
  cache.advance(base, extendContext(base, [message('first')]));
  cache.advance(base, extendContext(base, [message('second')]));
  expect(cache.get(base.digest)?.messages).toEqual(base.messages);
});

test('an answer without a message leaves the cache as it is', () => {
  const cache = new ContextCache(1_000_000);
  const base = extendContext(EMPTY, [message('a')]);
  cache.advance(EMPTY, base);
  cache.advance(base, base);
  cache.advance(base, extendContext(base, [message('b')]));
  expect(cache.get(base.digest)).toBeDefined();
});

test('what was used longest ago goes when the bytes are used up', () => {
  const [a, b] = ['a', 'b'].map((text) => extendContext(EMPTY, [message(text.repeat(400))]));
  if (!a || !b) throw new Error('two contexts were made');
  const cache = new ContextCache(a.bytes + b.bytes - 1);
  cache.set(a);
  cache.set(b);
  expect([cache.get(a.digest), cache.get(b.digest)]).toEqual([undefined, b]);
});

test('a cache of no bytes keeps nothing', () => {
  const cache = new ContextCache(0);
  cache.set(EMPTY);
  expect(cache.get(EMPTY.digest)).toBeUndefined();
});
