import { expect, test } from 'vitest';
import { type CachedBlock, cachedBlocks, createCache } from '../../test/adapters/prompt-cache.ts';
import type { Message } from '../protocol/messages.ts';
import { toWireRequest } from './anthropic-request.ts';

/** The blocks of a request in the order in which the service reads them. */
function blocksOf(messages: readonly Message[]): CachedBlock[] {
  const tool = (name: string) => ({ name, description: 'x'.repeat(400), input_schema: { type: 'object' } });
  const request = toWireRequest({
    model: 'claude-fake-1',
    instructions: 'y'.repeat(2_000),
    tools: ['a', 'b', 'c'].map(tool),
    messages,
    maxOutputTokens: 1_000,
  });
  return cachedBlocks({ ...request });
}

function iteration(n: number): Message[] {
  const calls = [0, 1, 2].map((i) => ({ type: 'call' as const, callId: `c${n}_${i}`, name: 'a', input: { n, i } }));
  const results = calls.map(({ callId }) => ({
    type: 'result' as const,
    callId,
    content: [{ type: 'text' as const, text: `${callId} ${'z'.repeat(4_000)}` }],
  }));
  return [
    { role: 'assistant', content: calls },
    { role: 'user', content: results },
  ];
}

test('in 50 iterations at least 95 % of what is sent again is read from the cache', () => {
  const billedFromCache = createCache();
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Question?' }] }];
  let before = '';
  let repeated = 0;
  let read = 0;
  for (let n = 0; n < 50; n++) {
    const blocks = blocksOf(messages);
    const whole = blocks.map(({ text }) => text).join('');
    expect(whole.startsWith(before)).toBe(true);
    expect(blocks.filter(({ marked }) => marked).length).toBeLessThanOrEqual(4);
    repeated += before.length;
    read += billedFromCache(blocks);
    before = whole;
    messages.push(...iteration(n));
  }
  expect(read / repeated).toBeGreaterThan(0.95);
});
