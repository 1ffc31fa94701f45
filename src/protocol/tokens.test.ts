import { expect, test } from 'vitest';
import { estimateTokens } from './tokens.ts';

test('a text takes a token for about four characters', () => {
  const tokens = estimateTokens({ role: 'user', content: [{ type: 'text', text: 'word '.repeat(800) }] });
  expect(tokens).toBeGreaterThanOrEqual(1_000);
  expect(tokens).toBeLessThan(1_020);
});

test('an image counts by what it shows, not by its bytes, also inside a result', () => {
  const image = { type: 'image', mediaType: 'image/png', data: 'A'.repeat(4_000_000) } as const;
  const result = { type: 'result', callId: 'a', content: [image] } as const;
  expect(estimateTokens({ role: 'user', content: [image, result] })).toBeLessThan(3_300);
});

test('a PDF counts by its pages, and a text document as text', () => {
  const pdf = { type: 'document', mediaType: 'application/pdf', data: 'A'.repeat(60_000) } as const;
  const text = { type: 'document', mediaType: 'text/plain', data: 'word '.repeat(12_000) } as const;
  expect(estimateTokens({ role: 'user', content: [pdf] })).toBeLessThan(2_100);
  expect(estimateTokens({ role: 'user', content: [text] })).toBeGreaterThan(15_000);
});
