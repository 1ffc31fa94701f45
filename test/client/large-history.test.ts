import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/agent.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { withHarness } from '../support/harness.ts';
import { asks, says } from '../support/messages.ts';

const dump = defineTool({
  name: 'dump',
  description: 'Gives a long text.',
  input: z.object({ i: z.number() }),
  effect: 'read',
  run: ({ i }) => `${i} ${'x'.repeat(190_000)}`,
});
const agent = defineAgent({
  name: 'tester',
  instructions: 'Be brief.',
  model: 'anthropic/claude-fake-1',
  tools: [dump],
  limits: { maxIterations: 40 },
});

test('a finished run with megabytes of results is read over a connection that takes 4 MiB an answer', async () => {
  const responses = [...Array.from({ length: 25 }, (_, i) => asks(['dump', { i }])), says('All read.')];
  await withHarness({ agents: [agent], model: { responses } }, async ({ client, events }) => {
    const { run } = await client.start({ agent: 'tester', prompt: 'Dump it all.' });
    expect(await client.result(run)).toMatchObject({ status: 'completed' });
    const results = (await events(run)).filter((event) => event.type === 'tool_result');
    expect(results).toHaveLength(25);
    expect(await client.transcript(run)).toHaveLength(52);
  });
});
