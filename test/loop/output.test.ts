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

test('an answer is held to what no JSON Schema can say', async () => {
  const output = Weather.refine(({ degrees }) => degrees > -274, 'colder than can be');
  const strict = defineAgent({ name: 'strict', instructions: '', model: 'anthropic/claude-fake-1', output });
  const responses = [says('{"city":"Seoul","degrees":-300}'), says(fits)];
  await withHarness({ agents: [strict], model: { responses } }, async ({ client, fake }) => {
    const { run } = await client.start({ agent: 'strict', prompt: 'How cold is it?' });
    expect(await client.result(run)).toMatchObject({ status: 'completed', output: { degrees: 3 } });
    expect(fake.requests[1]?.text).toContain('colder than can be');
  });
});

test('a request may bring a schema of its own', async () => {
  const output = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] };
  await withHarness({ agents: [agent], model: { responses: [says('{"yes":true}')] } }, async ({ client }) => {
    const { run } = await client.start({ agent: 'tester', prompt: 'Is it cold?', output });
    expect(await client.result(run)).toMatchObject({ output: { yes: true } });
  });
});

test('what the provider cannot be held to is checked here, and an answer that breaks it is sent back', async () => {
  const output = z.object({ stars: z.int().min(1).max(5) });
  const reviewer = defineAgent({
    name: 'reviewer',
    instructions: 'Be fair.',
    model: 'anthropic/claude-fake-1',
    output,
  });
  const responses = [says('{"stars":9}'), says('{"stars":5}')];
  await withHarness({ agents: [reviewer], model: { responses } }, async ({ client, fake }) => {
    const { run } = await client.start({ agent: 'reviewer', prompt: 'How good is it?' });
    expect(await client.result(run)).toMatchObject({ status: 'completed', output: { stars: 5 } });
    expect(fake.requests[0]?.body).toHaveProperty('output_config.format.schema', {
      type: 'object',
      properties: { stars: { type: 'integer', description: 'As JSON Schema: {"minimum":1,"maximum":5}' } },
      required: ['stars'],
      additionalProperties: false,
    });
    expect(fake.requests[1]?.text).toContain('stars: must be <= 5');
    expect(fake.rejections).toEqual([]);
  });
});

test('a schema that Claude cannot be held to is asked for in words, beside tools, and checked all the same', async () => {
  const output = z.object({ degrees: z.record(z.string(), z.number()) });
  const counter = defineAgent({
    name: 'counter',
    instructions: 'Be brief.',
    model: 'anthropic/claude-fake-1',
    tools: [look],
    output,
  });
  const responses = [asks(['look']), says('{"degrees":{"Seoul":"3"}}'), says('{"degrees":{"Seoul":3}}')];
  await withHarness({ agents: [counter], model: { responses } }, async ({ client, fake }) => {
    const { run } = await client.start({ agent: 'counter', prompt: 'How cold is it?' });
    expect(await client.result(run)).toMatchObject({ status: 'completed', output: { degrees: { Seoul: 3 } } });
    expect(fake.requests[0]?.body).not.toHaveProperty('output_config');
    expect(fake.requests[0]?.text).toContain('It must fit this JSON Schema');
    expect(fake.requests[2]?.text).toContain('degrees.Seoul: must be number');
    expect(fake.rejections).toEqual([]);
  });
});

test('an answer may hold answers of its own kind', async () => {
  const Part = z.object({
    name: z.string(),
    get parts() {
      return z.array(Part);
    },
  });
  const lister = defineAgent({
    name: 'lister',
    instructions: 'Be brief.',
    model: 'anthropic/claude-fake-1',
    output: Part,
  });
  const responses = [says('{"name":"car","parts":[{"name":"wheel"}]}'), says('{"name":"car","parts":[]}')];
  await withHarness({ agents: [lister], model: { responses } }, async ({ client, fake }) => {
    const { run } = await client.start({ agent: 'lister', prompt: 'What is it made of?' });
    const result = await client.result(run);
    expect((await parseOutput(Part, result)).parts).toEqual([]);
    expect(fake.requests[1]?.text).toContain('parts[0].parts: is required');
  });
});

test('a schema that the service refuses is asked for in words from then on', async () => {
  const message = 'output_config.format.schema: Invalid schema: The compiled grammar is too large';
  const error = { type: 'error', error: { type: 'invalid_request_error', message } };
  const responses = [{ status: 400, body: error }, asks(['look']), says(fits)];
  await withHarness({ agents: [agent], model: { responses } }, async ({ client, fake }) => {
    const { run } = await client.start({ agent: 'tester', prompt: 'How cold is it?' });
    expect(await client.result(run)).toMatchObject({ status: 'completed', output: { city: 'Seoul', degrees: 3 } });
    const inWords = fake.requests.map(({ text }) => text.includes('It must fit this JSON Schema'));
    expect(inWords).toEqual([false, true, true]);
  });
});
