// Streams as the services' documents show them, byte by byte, cut in the middle of words.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { WIRES } from '../../test/adapters/wires.ts';
import { startWireFake } from '../../test/fake-openai-api/wire-fake.ts';
import type { ModelEvent } from './model-adapter.ts';

const FOLDER = new URL('../../test/adapters/streams/', import.meta.url);
/** A prime: the cuts fall anywhere. */
const CUT_BYTES = 11;

async function answerOf(wire: string, file: string): Promise<ModelEvent | undefined> {
  const under = WIRES.find(({ name }) => name === wire) ?? expect.fail(`no wire ${wire}`);
  const sse = readFileSync(new URL(file, FOLDER), 'utf8');
  const fake = await startWireFake(under.wire, { sse, cutEveryBytes: CUT_BYTES });
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }];
  const request = { model: 'm', instructions: '', tools: [], messages, maxOutputTokens: 100 };
  let last: ModelEvent | undefined;
  for await (const event of under.create(fake.url, 'key').stream(request, new AbortController().signal)) last = event;
  await fake.close();
  return last;
}

it.each([
  ['openai', 'openai-text.sse'],
  ['openai', 'openai-function-call.sse'],
  ['openai-compatible', 'chat-text.sse'],
  ['openai-compatible', 'ollama-call.sse'],
  ['openai-compatible', 'openrouter-call.sse'],
  ['deepseek', 'deepseek-call.sse'],
  ['google', 'gemini-calls.sse'],
])('%s reads %s', async (wire, file) => {
  await expect(`${JSON.stringify(await answerOf(wire, file), null, 2)}\n`).toMatchFileSnapshot(
    new URL(file.replace('.sse', '.json'), FOLDER).pathname,
  );
});
