import Anthropic from '@anthropic-ai/sdk';
import { afterEach } from 'vitest';
import { type FakeModelApi, type FakeModelApiOptions, startFakeModelApi } from './fake-model-api.ts';
import { answer, call, text, thinking, user } from './samples.ts';
import type { WireBlock, WireMessage } from './wire.ts';

const started: FakeModelApi[] = [];

afterEach(async () => {
  for (const fake of started.splice(0)) await fake.close();
});

/** Starts a fake that ends with the test. */
export async function start(options: FakeModelApiOptions): Promise<FakeModelApi> {
  const fake = await startFakeModelApi(options);
  started.push(fake);
  return fake;
}

/** Parameters of a request with these messages. */
export function params(
  messages: readonly WireMessage[],
  model = 'claude-fake-1',
): Anthropic.MessageCreateParamsNonStreaming {
  return { model, max_tokens: 1_000, messages: messages as Anthropic.MessageParam[] };
}

/** One question. */
export const ask = [user(text('do it'))];

/** The real SDK, its own retries off. */
export function clientOf(fake: FakeModelApi): Anthropic {
  return new Anthropic({ apiKey: 'test-key', baseURL: fake.url, maxRetries: 0 });
}

/** Asks without a stream. */
export async function askJson(fake: FakeModelApi, messages = ask, model?: string): Promise<Anthropic.Message> {
  return await clientOf(fake).messages.create(params(messages, model));
}

/** Asks for a stream and waits for the whole message. */
export async function askStream(fake: FakeModelApi, messages = ask): Promise<Anthropic.Message> {
  return await clientOf(fake).messages.stream(params(messages)).finalMessage();
}

/** What a request failed with; undefined where it did not fail. */
export async function errorOf(asked: Promise<unknown>): Promise<unknown> {
  return await asked.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const search: WireBlock = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'tide' } };
const found: WireBlock = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };

/** An answer with a block of every usual kind, and characters of four bytes. */
export const rich = answer(
  thinking('let me think 🌊'),
  text('I look it up. 😀'),
  search,
  found,
  call('toolu_1', { q: 'a "b"\n' }),
);
