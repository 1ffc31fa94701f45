import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDemoAdapter } from '../../src/adapters/demo.ts';
import { demoAgent } from '../../src/agents/demo.ts';
import { callsOf, type Message, type ResultBlock, textOf, userMessage } from '../../src/protocol/messages.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { type FakeOpenMeteo, startFakeOpenMeteo } from './server.ts';

let fake: FakeOpenMeteo;

beforeAll(async () => {
  fake = await startFakeOpenMeteo();
});
afterAll(() => fake.close());
beforeEach(() => fake.fail({ type: 'none' }));

const ignore = (): void => undefined;

/** One turn of the demo agent with its real tools, without a server. */
async function ask(question: string): Promise<string> {
  const { instructions, tools, maxOutputTokens } = demoAgent({ model: 'demo', weather: fake });
  const registry = createRegistry(tools);
  const messages: Message[] = [userMessage(question)];
  for (;;) {
    const request = { model: 'demo', instructions, tools: registry.specs(), messages, maxOutputTokens };
    for await (const event of createDemoAdapter().stream(request, new AbortController().signal)) {
      if (event.type === 'finished') messages.push(event.message);
    }
    const message = messages.at(-1);
    if (message?.role !== 'assistant' || callsOf(message).length === 0) return message ? textOf(message) : '';
    const results = callsOf(message).map(async ({ callId, name, input }): Promise<ResultBlock> => {
      const { outcome, content } = await registry.execute(
        name,
        input,
        {
          idempotencyKey: callId,
          attempt: 1,
          signal: new AbortController().signal,
          log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
          heartbeat: ignore,
          runId: 'run',
          callId,
          agent: 'demo',
        },
        10_000,
      );
      return { type: 'result', callId, content, isError: outcome === 'failed' };
    });
    messages.push({ role: 'user', content: await Promise.all(results) });
  }
}

test('the first question that a newcomer asks is answered from the tools', async () => {
  expect(await ask('What time is it in Seoul, and what is 19 + 23?')).toMatch(
    /^In Seoul it is \d\d:\d\d:\d\d on [A-Z][a-z]+day, \d{4}-\d\d-\d\d \(UTC\+09:00\)\. 19 \+ 23 = 42\.$/,
  );
});

test('the weather in two cities and a decimal sum', async () => {
  expect(await ask('Weather in Paris and Tokyo, and 0.1 + 0.2?')).toBe(
    'Weather in Paris, France: 12.3 °C, light rain, humidity 60 %, wind 8.4 km/h. ' +
      'Weather in Tokyo, Japan: 12.3 °C, light rain, humidity 60 %, wind 8.4 km/h. 0.1 + 0.2 = 0.3.',
  );
});

test('a weather service that is down is said plainly, the rest is answered', async () => {
  fake.fail({ type: 'status', status: 500 });
  expect(await ask('Weather in Paris, and 1 + 1?')).toBe(
    'I could not get the weather in Paris: The weather service answered with HTTP 500. 1 + 1 = 2.',
  );
});
