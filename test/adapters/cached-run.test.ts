// Prompt caching, by the requests that a real run sends.

import { expect, test } from 'vitest';
import { defineAgent } from '../../src/agents/agent.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { withHarness } from '../support/harness.ts';
import { asks, says } from '../support/messages.ts';
import { cachedBlocks, createCache } from './prompt-cache.ts';

const ITERATIONS = 50;
const TOOLS = ['one', 'two', 'three'] as const;

const agent = defineAgent({
  name: 'reader',
  instructions: 'Read everything. '.repeat(100),
  model: 'anthropic/claude-fake-1',
  limits: { maxIterations: ITERATIONS },
  tools: TOOLS.map((name) =>
    defineTool({
      name,
      description: 'Reads a page.',
      input: { type: 'object', properties: { page: { type: 'integer' } } },
      effect: 'read',
      run: ({ page }) => `${page} ${'z'.repeat(4_000)}`,
    }),
  ),
});

const respond = (_: unknown, index: number) =>
  index < ITERATIONS - 1 ? asks(...TOOLS.map((name) => [name, { page: index }] as const)) : says('All is read.');

test('in a run of 50 iterations at least 95 % of what is sent again is read from the cache', async () => {
  await withHarness({ agents: [agent], model: { respond } }, async ({ client, fake }) => {
    const { run } = await client.start({ agent: 'reader', prompt: 'Read all pages.' });
    expect(await client.result(run)).toMatchObject({ status: 'completed', iterations: ITERATIONS });
    const readFromCache = createCache();
    let [before, repeated, read] = ['', 0, 0];
    for (const { body } of fake.requests) {
      const blocks = cachedBlocks(body as Readonly<Record<string, unknown>>);
      const whole = blocks.map(({ text }) => text).join('');
      expect(whole.startsWith(before)).toBe(true);
      expect(blocks.filter(({ marked }) => marked).length).toBeLessThanOrEqual(4);
      repeated += before.length;
      read += readFromCache(blocks);
      before = whole;
    }
    expect(fake.requests).toHaveLength(ITERATIONS);
    expect(read / repeated).toBeGreaterThan(0.95);
  });
});
