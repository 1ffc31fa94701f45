import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/agent.ts';
import { parseOutput } from '../../src/agents/parse-output.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { withHarness } from '../support/harness.ts';
import { asks, says } from '../support/messages.ts';

const Weather = z.object({ city: z.string(), degrees: z.number(), at: z.iso.date().optional() });
const look = defineTool({
  name: 'look',
  description: 'Looks something up.',
  input: z.object({}),
  effect: 'read',
  run: () => '3 degrees',
});
const agent = defineAgent({
  name: 'tester',
  instructions: 'Be brief.',
  model: 'anthropic/claude-fake-1',
  tools: [look],
  output: Weather,
});
const fits = '{"city":"Seoul","degrees":3}';

test('an answer that fits the schema is the typed output of the run', async () => {
  await withHarness(
    { agents: [agent], model: { responses: [asks(['look']), says(fits)] } },
    async ({ client, fake }) => {
      const { run } = await client.start({ agent: 'tester', prompt: 'How cold is it?' });
      const result = await client.result(run);
      const weather = await parseOutput(Weather, result);
      expect(weather.degrees + 1).toBe(4);
      expect(fake.requests[0]?.body).toHaveProperty('output_config.format.schema.required', ['city', 'degrees']);
    },
  );
});

test('an answer that does not fit is sent back with the faults', async () => {
  const responses = [says('It is cold.'), says('{"city":"Seoul","degrees":"3"}'), says(fits)];
  await withHarness({ agents: [agent], model: { responses } }, async ({ client, fake }) => {
    const { run } = await client.start({ agent: 'tester', prompt: 'How cold is it?' });
    expect(await client.result(run)).toMatchObject({ status: 'completed', output: { city: 'Seoul', degrees: 3 } });
    expect(fake.requests[2]?.text).toContain('degrees: must be number');
  });
});

test('the third answer that does not fit ends the turn by name', async () => {
  const responses = [says('Cold.'), says('Cold.'), says('Cold.')];
  await withHarness({ agents: [agent], model: { responses } }, async ({ client }) => {
    const { run } = await client.start({ agent: 'tester', prompt: 'How cold is it?' });
    const result = await client.result(run);
    expect(result).toMatchObject({ status: 'failed', reason: 'invalid_output', iterations: 3 });
    await expect(parseOutput(Weather, result)).rejects.toThrow('the run has no output; it is failed');
  });
});

test('a request may bring a schema of its own', async () => {
  const output = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] };
  await withHarness({ agents: [agent], model: { responses: [says('{"yes":true}')] } }, async ({ client }) => {
    const { run } = await client.start({ agent: 'tester', prompt: 'Is it cold?', output });
    expect(await client.result(run)).toMatchObject({ output: { yes: true } });
  });
});
