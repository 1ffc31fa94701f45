import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { createModels } from '../adapters/by-name.ts';
import type { ModelAdapter } from '../adapters/model-adapter.ts';
import { defineAgent } from '../agents/agent.ts';
import type { ResolveAgentInput } from '../protocol/activities.ts';
import type { AgentSnapshot } from '../protocol/snapshot.ts';
import { createRegistry } from '../tools/registry.ts';
import { defineTool } from '../tools/tool.ts';
import { ContextCache } from './context-cache.ts';
import { headDigest } from './digest.ts';
import { createResolveAgent } from './resolve-agent.ts';

const SILENT = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const ADAPTER: ModelAdapter = { stream: async function* () {} };
const tool = (name: string) =>
  defineTool({ name, description: name, input: { type: 'object' as const }, effect: 'read', run: () => name });
const [LOOK, SAVE, OTHER] = [tool('look'), tool('save it'), tool('other')];
const AGENTS = [
  defineAgent({ name: 'clerk', instructions: 'Be brief.', model: 'fake/one', tools: [SAVE, LOOK] }),
  defineAgent({ name: 'baker', instructions: '', model: 'fake/two', tools: [OTHER] }),
  defineAgent({
    name: 'talker',
    instructions: '',
    model: 'claude-x',
    compaction: { contextWindowTokens: 9_000, model: 'claude-short' },
  }),
];

async function resolve(
  request: ResolveAgentInput['request'],
  cache = new ContextCache(1_000_000),
): Promise<AgentSnapshot> {
  const snapshot = await resolveUnless(undefined, request, cache);
  return snapshot ?? expect.fail('there is no snapshot');
}

function resolveUnless(
  unless: string | undefined,
  request: ResolveAgentInput['request'],
  cache = new ContextCache(1_000_000),
): Promise<AgentSnapshot | null> {
  const activity = createResolveAgent({
    agents: AGENTS,
    registry: createRegistry([LOOK, SAVE, OTHER]),
    models: createModels({ fake: async () => ADAPTER, anthropic: async () => ADAPTER }),
    cache,
    maxPayloadBytes: 2_000_000,
    hasSearchAttributes: async () => true,
    onDone: false,
  });
  const env = new MockActivityEnvironment({}, { logger: SILENT });
  return env.run<[ResolveAgentInput], AgentSnapshot | null, typeof activity>(activity, { request, unless });
}

test('a run gets its agent with its own tools, sorted, and the digest of what the model will see', async () => {
  const cache = new ContextCache(1_000_000);
  const snapshot = await resolve({ agent: 'clerk' }, cache);
  expect(snapshot).toMatchObject({
    agent: 'clerk',
    model: 'fake/one',
    mode: 'task',
    live: false,
    searchAttributes: true,
  });
  expect(snapshot.tools.map(({ name }) => name)).toEqual([...snapshot.tools.map(({ name }) => name)].sort());
  expect(snapshot.tools).toHaveLength(2);
  const tools = snapshot.tools.map(({ name, description, input_schema }) => ({ name, description, input_schema }));
  expect(snapshot.digest).toBe(headDigest({ instructions: 'Be brief.', tools }));
  expect(cache.get(snapshot.digest)?.messages).toEqual([]);
});

test('a request overrides model, instructions, tools and single limits', async () => {
  const limits = { maxTotalTokens: 500 };
  const snapshot = await resolve({
    agent: 'clerk',
    model: 'fake/big',
    instructions: 'Sing.',
    tools: ['save it'],
    limits,
  });
  expect(snapshot).toMatchObject({
    model: 'fake/big',
    instructions: 'Sing.',
    limits: { maxIterations: 10, maxTotalTokens: 500 },
  });
  expect(snapshot.tools).toMatchObject([{ toolName: 'save it' }]);
});

test('models with a known prefix get their full names, also the one that writes summaries', async () => {
  const snapshot = await resolve({ agent: 'talker' });
  expect(snapshot).toMatchObject({
    model: 'anthropic/claude-x',
    compaction: { contextWindowTokens: 9_000, model: 'anthropic/claude-short' },
  });
});

test('a run that has the agent as it is hears nothing, and one that has another gets it whole', async () => {
  const { hash } = await resolve({ agent: 'clerk' });
  expect(await resolveUnless(hash, { agent: 'clerk' })).toBeNull();
  expect(await resolveUnless(hash, { agent: 'clerk', limits: { maxIterations: 3 } })).toMatchObject({ agent: 'clerk' });
});

test('an unknown agent is refused for good, with the names of those that there are', async () => {
  await expect(resolve({ agent: 'cook' })).rejects.toMatchObject({
    type: 'Agent.Unknown',
    nonRetryable: true,
    message: 'There is no agent "cook". The agents are: baker, clerk, talker.',
  });
});

test('an unknown provider is refused for good', async () => {
  await expect(resolve({ agent: 'clerk', model: 'nobody/x' })).rejects.toMatchObject({
    type: 'Model.NotFound',
    nonRetryable: true,
  });
});

test('faults of the overrides are named all together', async () => {
  const request = { agent: 'clerk', tools: ['look', 'other', 'none'], limits: { maxIterations: -1 } };
  await expect(resolve(request)).rejects.toMatchObject({
    type: 'Agent.Invalid',
    nonRetryable: true,
    message: expect.stringMatching(/"other".*"none".*limits\.maxIterations/),
  });
});

test.each([
  ['is no JSON Schema', { type: 'object', properties: 5 }, 'properties'],
  ['refers to nowhere', { type: 'object', properties: { a: { $ref: '#/$defs/none' } } }, '#/$defs/none'],
])('a schema of the output that %s is refused before anything is asked', async (_, output, words) => {
  await expect(resolve({ agent: 'clerk', output })).rejects.toMatchObject({
    type: 'Agent.Invalid',
    message: expect.stringMatching(/output is no valid JSON Schema: /),
  });
  await expect(resolve({ agent: 'clerk', output })).rejects.toThrow(words);
});
