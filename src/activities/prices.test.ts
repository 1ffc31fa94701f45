import { describe, expect, test } from 'vitest';
import { createCostOf } from './prices.ts';

const usage = { inputTokens: 1_000, outputTokens: 100, cacheReadTokens: 10_000, cacheWriteTokens: 2_000 };

describe('the cost of a model call', () => {
  test('is that of the packaged prices, with cached tokens at their own price', async () => {
    const { costUsdMicros } = await createCostOf()('anthropic', 'claude-sonnet-4-20250514', usage);
    // 3 USD input, 15 output, 0.30 cache read, 3.75 cache write for a million
    expect(costUsdMicros).toBe(3_000 + 1_500 + 3_000 + 7_500);
  });

  test('is unknown, with the reason, for a model without a price', async () => {
    const local = await createCostOf()('openai-compatible', 'gpt-4o', usage);
    expect(local.costUsdMicros).toBeNull();
    expect(await createCostOf()('demo', 'demo', usage)).toEqual({
      costUsdMicros: null,
      costUnknown: 'no price is known for demo/demo',
    });
  });

  test('is that of own prices, which go before the packaged ones', async () => {
    const own = { 'anthropic/claude-sonnet-4-20250514': { inputUsdPerMillion: 1, outputUsdPerMillion: 2 } };
    const { costUsdMicros } = await createCostOf(own)('anthropic', 'claude-sonnet-4-20250514', usage);
    expect(costUsdMicros).toBe(13_000 + 200);
  });
});
