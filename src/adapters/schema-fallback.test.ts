// What the models of a worker do where a service refuses the schema of an answer: real SDKs against fakes.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KEY, WIRES } from '../../test/adapters/wires.ts';
import { startWireFake, type WireFake } from '../../test/fake-openai-api/wire-fake.ts';
import { textOf } from '../protocol/messages.ts';
import { createModels } from './by-name.ts';
import type { ModelAdapter, ModelRequest } from './model-adapter.ts';

const TOO_LARGE = 'output_config.format.schema: Invalid schema: The compiled grammar is too large';
const REQUEST: ModelRequest = {
  model: 'model-3',
  instructions: 'Be brief.',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  maxOutputTokens: 100,
};
const output = { type: 'object', properties: { marked: { type: 'string' } }, required: ['marked'] };

async function ask(adapter: ModelAdapter, more: Partial<ModelRequest>): Promise<string> {
  for await (const event of adapter.stream({ ...REQUEST, ...more }, new AbortController().signal)) {
    if (event.type === 'finished') return textOf(event.message);
  }
  throw new Error('the stream has no end');
}

describe.each(WIRES)('$name', (under) => {
  let fake: WireFake;
  let adapter: ModelAdapter;
  const refusal = { status: 400, body: under.wire.toError(400, TOO_LARGE) };
  const saying = (text: string) => ({ sse: under.stream([{ text }], 'stop') });
  const inWords = () => fake.requests.map(({ body }) => JSON.stringify(body).includes('fit this JSON Schema'));

  beforeEach(async () => {
    fake = await startWireFake(under.wire);
    const models = createModels({ own: async () => under.create(fake.url, KEY) });
    adapter = (await models.find('own/model-3')).adapter;
  });

  afterEach(() => fake.close());

  it('asks in words where the schema is refused, and at once from then on', async () => {
    fake.answer(refusal, saying('{"marked":"a"}'), saying('{"marked":"b"}'));
    expect(await ask(adapter, { output })).toBe('{"marked":"a"}');
    expect(await ask(adapter, { output })).toBe('{"marked":"b"}');
    expect(inWords()).toEqual([under.name === 'deepseek', true, true]);
    expect(fake.rejections).toEqual([]);
  });

  it('asks as before for another schema', async () => {
    fake.answer(refusal, saying('a'), saying('b'));
    await ask(adapter, { output });
    await ask(adapter, { output: { ...output, title: 'Another' } });
    expect(inWords()[2]).toBe(under.name === 'deepseek');
  });

  it('fails where it was not the schema, and asks with it again the next time', async () => {
    fake.answer(refusal, refusal, saying('a'));
    await expect(ask(adapter, { output })).rejects.toMatchObject({ kind: 'invalid_request', retryable: false });
    await ask(adapter, { output });
    expect(inWords()[2]).toBe(under.name === 'deepseek');
  });

  it.each([
    ['a request without a schema', 400, {}],
    ['another failure', 429, { output }],
  ])('sends nothing twice for %s', async (_, status, more) => {
    fake.answer({ status, body: under.wire.toError(status, 'no') }, saying('a'));
    await expect(ask(adapter, more)).rejects.toMatchObject({ name: 'ModelError' });
    expect(fake.requests).toHaveLength(1);
  });
});
