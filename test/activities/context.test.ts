import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestAfter, headDigest } from '../../src/activities/digest.ts';
import type { ModelAdapter, ModelRequest } from '../../src/adapters/model-adapter.ts';
import type { CallModelInput, CallModelResult } from '../../src/protocol/activities.ts';
import { CONTEXT_PAGE_CHARS } from '../../src/protocol/limits.ts';
import type { Message } from '../../src/protocol/messages.ts';
import { NO_USAGE } from '../../src/protocol/run.ts';
import { type ActivityServer, startServer } from './server.ts';

let server: ActivityServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

const HEAD = { instructions: 'Be brief.', tools: [] };
const ANSWER: Message = { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] };

function user(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

function inputOver(messages: readonly Message[], digest: string): CallModelInput {
  const base = { context: 0, length: messages.length, digest };
  const settings = { agent: 'tester', model: 'fake/one', maxOutputTokens: 100, streamIdleTimeoutMs: 5_000 };
  return { base, append: [user('And now?')], turn: 1, iteration: 1, ...settings };
}

function answering(requests: ModelRequest[]): ModelAdapter {
  return {
    stream: async function* (request) {
      requests.push(request);
      const message = { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Yes.' }] };
      const stop = { stopReason: 'end_turn' as const, rawStopReason: 'end_turn' };
      yield { type: 'finished', message, model: 'one', usage: NO_USAGE, ...stop };
    },
  };
}

async function call(
  adapter: ModelAdapter,
  messages: readonly Message[],
  input: CallModelInput,
): Promise<CallModelResult> {
  const taskQueue = randomUUID();
  const stop = await server.startWorker(taskQueue, { adapter, contextCacheBytes: 0 });
  const lines = [HEAD, ...messages, user('said later, not part of the base')].map((line) => JSON.stringify(line));
  try {
    const args = [lines, input];
    return await server.env.client.workflow.execute('callModel', { taskQueue, workflowId: randomUUID(), args });
  } finally {
    await stop();
  }
}

test('a worker that does not have the base asks the run for it, page by page', async () => {
  const requests: ModelRequest[] = [];
  // Pairs of surrogates, shifted by one, so that a page ends inside of one.
  const messages = [user(`x${'😀'.repeat(CONTEXT_PAGE_CHARS)}`), ANSWER];
  const digest = digestAfter(headDigest(HEAD), messages);
  const result = await call(answering(requests), messages, inputOver(messages, digest));
  const asked = [...messages, user('And now?')];
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({ instructions: 'Be brief.', messages: asked });
  expect(result.digest).toBe(digestAfter(headDigest(HEAD), [...asked, ANSWER]));
});

test('a context that is not the one asked for is never sent to the model', async () => {
  const requests: ModelRequest[] = [];
  const messages = [user('hello')];
  const called = call(answering(requests), messages, { ...inputOver(messages, 'another'), iteration: 2 });
  await expect(called).rejects.toMatchObject({ cause: { cause: { type: 'Transcript.Unavailable' } } });
  expect(requests).toEqual([]);
});
