// Runs in a thread that the provider holds: what goes over the wire, and what happens when worker or thread are gone.

import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Agent, defineAgent } from '../../src/agents/agent.ts';
import type { AgentClient } from '../../src/client/agent-client.ts';
import { defineTool } from '../../src/tools/tool.ts';
import type { FakeModelApi } from '../fake-model-api/fake-model-api.ts';
import { withHarness } from '../support/harness.ts';
import { asks, says } from '../support/messages.ts';

const ITERATIONS = 20;
const HALF = ITERATIONS / 2;
const RESULT_BYTES = 4_096;
const TOOLS = ['read_page', 'read_mail', 'read_log'] as const;

/** A model that asks for three results of 4 KiB in each iteration, and answers in the last. */
function readerModel() {
  let page = 0;
  const calls = () => TOOLS.map((name) => [name, { page }] as const);
  return { respond: () => (++page < ITERATIONS ? asks(...calls()) : says('All is read.')) };
}

/** `onPage` is called with each page that is read, before the model is told of it. */
function readerAgent(providerThread: boolean, onPage: (page: number) => void = () => undefined): Agent {
  const tools = TOOLS.map((name) =>
    defineTool({
      name,
      description: 'Reads something long.',
      input: { type: 'object', properties: { page: { type: 'integer' } }, required: ['page'] },
      effect: 'read',
      run: ({ page }: { page: number }) => {
        if (name === TOOLS[0]) onPage(page);
        return randomBytes((RESULT_BYTES * 3) / 4).toString('base64');
      },
    }),
  );
  const settings = { limits: { maxIterations: ITERATIONS }, continueAsNewAfterEvents: 200, providerThread };
  const model = 'anthropic/claude-fake-1';
  return defineAgent({ name: 'reader', instructions: 'Read everything.', model, tools, ...settings });
}

const ways = (fake: FakeModelApi) => fake.requests.map(({ body }) => Object(body).thread?.type);

/** Bytes of a request, on average, in each half. The first one of all has nothing to tell yet. */
function bytesOfHalves({ requests }: FakeModelApi): [first: number, second: number] {
  const bytes = (some: FakeModelApi['requests']) =>
    some.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) / some.length;
  return [bytes(requests.slice(1, HALF)), bytes(requests.slice(HALF))];
}

async function read({ client, fake }: { client: AgentClient; fake: FakeModelApi }): Promise<void> {
  const { run } = await client.start({ agent: 'reader', prompt: 'Read all pages.' });
  expect(await client.result(run)).toMatchObject({ status: 'completed', text: 'All is read.', iterations: ITERATIONS });
  expect(fake.rejections).toEqual([]);
  expect(fake.repeatedCompleted).toBe(0);
}

test('in a thread a request late in a long run has no more bytes than an early one', async () => {
  await withHarness({ agents: [readerAgent(true)], model: readerModel() }, async ({ client, fake }) => {
    await read({ client, fake });
    const [first, second] = bytesOfHalves(fake);
    expect(ways(fake)).toEqual(['create', ...Array(ITERATIONS - 1).fill('continue')]);
    expect(Math.abs(second / first - 1), `${first} and ${second} bytes`).toBeLessThan(0.1);
    expect(second).toBeLessThan(1.2 * TOOLS.length * RESULT_BYTES);
  });
});

test('without a thread it has three times as many, since each request holds all that came before', async () => {
  await withHarness({ agents: [readerAgent(false)], model: readerModel() }, async ({ client, fake }) => {
    await read({ client, fake });
    const [first, second] = bytesOfHalves(fake);
    expect(ways(fake)).toEqual(Array(ITERATIONS).fill(undefined));
    expect(second / first, `${first} and ${second} bytes`).toBeGreaterThan(2.5);
  });
});

test('a thread that is lost in mid-run costs one request with all of it', async () => {
  let forget = () => {};
  const agent = readerAgent(true, (page) => {
    if (page === HALF) forget();
  });
  await withHarness({ agents: [agent], model: readerModel() }, async ({ client, fake }) => {
    forget = () => fake.threads.forget();
    await read({ client, fake });
    const later = (count: number) => Array(count).fill('continue');
    expect(ways(fake)).toEqual(['create', ...later(HALF), 'create', ...later(ITERATIONS - HALF - 1)]);
    expect(fake.requests.filter(({ status }) => status !== 200)).toMatchObject([{ index: HALF, status: 404 }]);
  });
});

test('another worker goes on with the thread, since all that it must know is in the transcript', async () => {
  let replace = async () => {};
  let replaced: Promise<void> | undefined;
  let pagesOfSecond = 0;
  const first = readerAgent(true, (page) => {
    if (page === HALF) replaced = replace();
  });
  await withHarness({ agents: [first], model: readerModel() }, async ({ client, fake, deploy }) => {
    replace = () => deploy(readerAgent(true, () => pagesOfSecond++));
    await read({ client, fake });
    await replaced;
    expect(pagesOfSecond).toBeGreaterThan(HALF / 2);
    expect(ways(fake)).toEqual(['create', ...Array(ITERATIONS - 1).fill('continue')]);
  });
});
