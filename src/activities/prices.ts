import type { Usage } from '../protocol/run.ts';

/** Prices of one model, in USD for a million tokens. Cache prices default to that of input. */
export interface ModelPrice {
  readonly inputUsdPerMillion: number;
  readonly outputUsdPerMillion: number;
  readonly cacheReadUsdPerMillion?: number;
  readonly cacheWriteUsdPerMillion?: number;
}

/** Prices of one's own, by `provider/model`. They go before the packaged ones. */
export type Prices = Readonly<Record<string, ModelPrice>>;

/** What a model call cost, in millionths of a USD; null with the reason where the price is not known. */
export type Cost = { readonly costUsdMicros: number } | { readonly costUsdMicros: null; readonly costUnknown: string };

/** Looks a price up. Never rejects. */
export type CostOf = (provider: string, model: string, usage: Usage) => Promise<Cost>;

/**
 * Costs by the prices that the package `@pydantic/genai-prices` carries; nothing is asked of the network. The package is
 * loaded at the first look-up, since a megabyte of prices is no part of a start.
 */
export function createCostOf(own: Prices = {}): CostOf {
  return async (provider, model, usage) => {
    const price = own[`${provider}/${model}`];
    const usd = price ? usdByPrice(price, usage) : await usdByPackage(provider, model, usage);
    if (usd === undefined) return { costUsdMicros: null, costUnknown: `no price is known for ${provider}/${model}` };
    return { costUsdMicros: Math.round(usd * 1_000_000) };
  };
}

function usdByPrice(price: ModelPrice, usage: Usage): number {
  const { inputUsdPerMillion: input, outputUsdPerMillion: output } = price;
  const cacheRead = price.cacheReadUsdPerMillion ?? input;
  const cacheWrite = price.cacheWriteUsdPerMillion ?? input;
  const millionths =
    usage.inputTokens * input +
    usage.outputTokens * output +
    usage.cacheReadTokens * cacheRead +
    usage.cacheWriteTokens * cacheWrite;
  return millionths / 1_000_000;
}

/** Whose prices the package may be asked for, by its own names: for others it would go by the model's name alone. */
const PRICED_PROVIDERS: ReadonlyMap<string, string> = new Map([
  ...['anthropic', 'openai', 'google', 'deepseek'].map((name) => [name, name] as const),
  ['bedrock', 'aws'],
  ['vertex', 'google'],
  ['foundry', 'azure'],
]);

async function usdByPackage(provider: string, model: string, usage: Usage): Promise<number | undefined> {
  const providerId = PRICED_PROVIDERS.get(provider);
  if (providerId === undefined) return undefined;
  const { calcPrice } = await import('@pydantic/genai-prices');
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const counts = {
    // The package counts cached tokens as a part of the input, Pawl beside it.
    input_tokens: inputTokens + cacheReadTokens + cacheWriteTokens,
    output_tokens: outputTokens,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
  };
  return calcPrice(counts, model, { providerId })?.total_price;
}
