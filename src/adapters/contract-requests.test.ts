// What every adapter promises of a request, whatever its wire: real SDKs against strict fakes.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  asking,
  collect,
  type Finished,
  failureOf,
  HI,
  NEVER,
  REQUEST,
  resultsFor,
} from '../../test/adapters/contract-asks.ts';
import { KEY, WIRES, type WireUnderTest } from '../../test/adapters/wires.ts';
import { startWireFake, type WireFake } from '../../test/fake-openai-api/wire-fake.ts';
import { type AssistantMessage, callsOf, type Message, textOf, type UserBlock } from '../protocol/messages.ts';

/** Variables that the SDKs read where they are told nothing. */
const OTHER_WORDS = [
  ...['OPENAI_API_KEY', 'OPENAI_ADMIN_KEY', 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID', 'GEMINI_API_KEY'],
  ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_FOUNDRY_API_KEY', 'ANTHROPIC_FOUNDRY_RESOURCE'],
  ...['AWS_BEARER_TOKEN_BEDROCK', 'AWS_REGION', 'CLOUD_ML_REGION', 'ANTHROPIC_VERTEX_PROJECT_ID'],
];
const OTHER_ADDRESSES = [
  ...['OPENAI_BASE_URL', 'GOOGLE_GEMINI_BASE_URL', 'ANTHROPIC_BASE_URL'],
  ...['ANTHROPIC_BEDROCK_BASE_URL', 'ANTHROPIC_VERTEX_BASE_URL', 'ANTHROPIC_FOUNDRY_BASE_URL'],
];

describe.each(WIRES)('$name', (under: WireUnderTest) => {
  let fake: WireFake;

  beforeEach(async () => {
    fake = await startWireFake(under.wire);
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await fake.close();
  });

  const { stream, ask } = asking(under, () => fake.url);

  describe('a request', () => {
    const { keyVariable } = under;
    if (keyVariable !== undefined) {
      it.each([undefined, ''])('without a key (%j) is refused before it is sent', async (apiKey) => {
        vi.stubEnv(keyVariable, 'other-key');
        const failure = await failureOf(collect(under.create(fake.url, apiKey).stream(REQUEST, NEVER)));
        const message = `${keyVariable} is not set. Put it into the worker's environment or its .env.`;
        expect(failure).toMatchObject({ kind: 'auth', retryable: false, message });
        expect(fake.requests).toHaveLength(0);
      });
    }

    it('goes where and as whom it was told, whatever the environment says', async () => {
      for (const name of OTHER_WORDS) vi.stubEnv(name, 'other-word');
      for (const name of OTHER_ADDRESSES) vi.stubEnv(name, 'http://127.0.0.1:1');
      vi.stubEnv('GOOGLE_GENAI_USE_VERTEXAI', 'true');
      vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'authorization: other-word\nx-other: other-word');
      fake.answer({ sse: under.stream([{ text: 'a' }], 'stop') });
      await collect(stream());
      expect(JSON.stringify(fake.requests[0]?.headers)).toContain(KEY);
      expect(JSON.stringify(fake.requests)).not.toContain('other-word');
      expect(fake.rejections).toEqual([]);
    });

    it('is the same bytes for the same conversation, and well-formed', async () => {
      fake.answer({ sse: under.stream([{ text: 'a' }], 'stop') }, { sse: under.stream([{ text: 'a' }], 'stop') });
      const broken: Message = { role: 'user', content: [{ type: 'text', text: 'half \ud83d' }] };
      await ask({ messages: [broken] });
      await ask({ messages: [broken] });
      expect(JSON.stringify(fake.requests[1]?.body)).toBe(JSON.stringify(fake.requests[0]?.body));
      expect(JSON.stringify(fake.requests[0]?.body)).toContain('half \ufffd');
    });

    it.each(['model-3', 'gemini-2.5-flash'])(
      'for an answer in a schema says so, beside tools too (%s)',
      async (model) => {
        const output = { type: 'object', properties: { marked_field: { type: 'string' } } };
        fake.answer({ sse: under.stream([{ text: '{}' }], 'stop') }, { sse: under.stream([{ text: '{}' }], 'stop') });
        await ask({ model, output });
        await ask({ model, output, tools: [] });
        expect(fake.rejections).toEqual([]);
        for (const { body } of fake.requests) expect(JSON.stringify(body)).toContain('marked_field');
      },
    );

    it.each(['my tool!', '日本', 'x'.repeat(130)])(
      'repeats a call with a name that no tool can have: %s',
      async (name) => {
        fake.answer({ sse: under.stream([{ text: 'a' }], 'stop') });
        const called: AssistantMessage = {
          role: 'assistant',
          content: [{ type: 'call', callId: 'c1', name, input: {} }],
        };
        await ask({ messages: [HI, called, resultsFor(called)] });
        expect(fake.rejections).toEqual([]);
      },
    );

    it('for a turn that paused with Claude goes on from there', async () => {
      fake.answer({ sse: under.stream([{ text: 'a' }], 'stop') });
      const searching: AssistantMessage = { role: 'assistant', content: [{ type: 'text', text: 'Searching.' }] };
      await ask({ messages: [HI, searching] });
      const { messages, input, contents } = fake.requests[0]?.body ?? {};
      const role = under.family === 'anthropic' ? 'assistant' : 'user';
      expect([messages, input, contents].flat().filter(Boolean).at(-1)).toMatchObject({ role });
    });

    it('takes the results of its own calls back, with all that the model thought', async () => {
      fake.answer({ status: 200, body: under.reasoned }, { sse: under.stream([{ text: 'Done.' }], 'stop') });
      const { message } = await ask();
      expect(callsOf(message).map(({ input }) => input)).toEqual([{ q: 'a' }, { q: 'b' }]);
      const finished = await ask({ messages: [HI, message, resultsFor(message)] });
      expect(fake.rejections).toEqual([]);
      expect(textOf(finished.message)).toBe('Done.');
    });
  });

  describe.each(WIRES.filter(({ name }) => name !== under.name))('a conversation that began on $name', (other) => {
    it('is valid here, with every call answered, and with the reasoning of the other only if it is understood', async () => {
      const before = await startWireFake(other.wire, { status: 200, body: other.reasoned });
      const begun = (await collect(other.create(before.url, KEY).stream(REQUEST, NEVER))).at(-1) as Finished;
      await before.close();
      fake.answer({ sse: under.stream([{ text: 'Done.' }], 'stop') });
      const pictures: Message = { role: 'user', content: [IMAGE, PDF, { type: 'text', text: 'And these?' }] };
      const messages = [HI, begun.message, withMedia(resultsFor(begun.message)), SAID, pictures];
      await ask({ messages });
      expect(fake.rejections).toEqual([]);
      const body = JSON.stringify(fake.requests[0]?.body);
      const ofReasoning = ['Two look-ups', 'ZW5j', 'c2ln'].filter((part) => body.includes(part));
      expect(ofReasoning).toEqual(other.family === under.family ? ['Two look-ups', 'c2ln'] : []);
      expect(body).toContain('found {');
      for (const { data } of [IMAGE, PDF]) expect(body.split(data)).toHaveLength(3); // once from the tool, once from the user
    });
  });
});

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const IMAGE = { type: 'image', mediaType: 'image/png', data: PNG } as const;
const PDF = { type: 'document', mediaType: 'application/pdf', data: 'JVBERi0xLjQ=', title: 'a.pdf' } as const;
const SAID: Message = { role: 'assistant', content: [{ type: 'text', text: 'Seen.' }] };

function withMedia(results: Message): Message {
  const [first, ...rest] = results.content as readonly UserBlock[];
  if (first?.type !== 'result') return expect.fail('there is no result');
  return { role: 'user', content: [{ ...first, content: [...first.content, IMAGE, PDF] }, ...rest] };
}
