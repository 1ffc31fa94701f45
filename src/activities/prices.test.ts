import { describe, expect, test } from 'vitest';
import { createCostOf } from './prices.ts';

const usage = {
  inputTokens: 1_000,
  outputTokens: 100,
  cacheReadTokens: 10_000,
  cacheWriteTokens: 2_000,
  reasoningTokens: 0,
};

describe('the cost of a model call', () => {
  test('is that of the packaged prices, with cached tokens at their own price', async () => {
    const { costUsdMicros } = await createCostOf()('anthropic', 'claude-sonnet-4-20250514', usage);
    // 3 USD input, 15 output, 0.30 cache read, 3.75 cache write for a million
    expect(costUsdMicros).toBe(3_000 + 1_500 + 3_000 + 7_500);
  });

  test.each([
    ['bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0', 3_000 + 1_500 + 3_000 + 7_500],
    ['bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0', 3_000 + 1_500 + 3_000 + 7_500],
    // An inference inside a region costs a tenth more.
    ['bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0', 16_500],
    ['vertex/claude-sonnet-4-5@20250929', 15_000],
    ['foundry/claude-sonnet-4-5', 15_000],
  ])('is that of the cloud for %s', async (name, micros) => {
    const [provider = '', model = ''] = name.split('/');
    expect(await createCostOf()(provider, model, usage)).toEqual({ costUsdMicros: micros });
  });

  test.each([
    ['bedrock', 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc'],
    ['foundry', 'my-deployment'],
  ])('is unknown for names of %s that say nothing of the model: %s', async (provider, model) => {
    const costUnknown = `no price is known for ${provider}/${model}`;
    expect(await createCostOf()(provider, model, usage)).toEqual({ costUsdMicros: null, costUnknown });
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

  test('has reasoning in that of the output', async () => {
    const own = { 'some/model': { inputUsdPerMillion: 1, outputUsdPerMillion: 2 } };
    const reasoned = { ...usage, reasoningTokens: 90 };
    for (const [provider, model] of [
      ['anthropic', 'claude-sonnet-4-20250514'],
      ['openai', 'gpt-5'],
      ['google', 'gemini-2.5-pro'],
      ['deepseek', 'deepseek-reasoner'],
      ['some', 'model'],
    ] as const) {
      const { costUsdMicros } = await createCostOf(own)(provider, model, usage);
      expect(costUsdMicros).toBeGreaterThan(0);
      expect(await createCostOf(own)(provider, model, reasoned)).toEqual({ costUsdMicros });
    }
  });
});
