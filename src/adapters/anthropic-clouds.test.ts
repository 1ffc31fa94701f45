import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CLAUDE_WIRES } from '../../test/adapters/claude-wires.ts';
import { collect, failureOf, NEVER, REQUEST } from '../../test/adapters/contract-asks.ts';
import { startWireFake } from '../../test/fake-openai-api/wire-fake.ts';
import { createBedrockAdapter } from './anthropic-bedrock.ts';
import { createFoundryAdapter } from './anthropic-foundry.ts';
import { createVertexAdapter, type VertexOptions } from './anthropic-vertex.ts';
import type { ModelAdapter } from './model-adapter.ts';

const AUTH_CLIENT = { getRequestHeaders: async () => new Headers() } as unknown as VertexOptions['authClient'];

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe.each(CLAUDE_WIRES)('Claude on $name', (under) => {
  it('thinks, calls and counts', async () => {
    const usage = { input_tokens: 7, output_tokens: 9, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 };
    const fake = await startWireFake(under.wire, { status: 200, body: { ...under.reasoned, usage } });
    const events = await collect(under.create(fake.url, 'some-key').stream(REQUEST, NEVER));
    await fake.close();
    expect(fake.rejections).toEqual([]);
    expect(events).toContainEqual({ type: 'reasoning_delta', text: expect.any(String) });
    expect(events.filter(({ type }) => type === 'tool_call')).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({
      type: 'finished',
      stopReason: 'tool_use',
      message: {
        content: [
          { type: 'opaque', provider: 'anthropic', value: { type: 'thinking', signature: 'c2ln' } },
          { type: 'text', text: 'Looking.' },
          { type: 'call', input: { q: 'a' } },
          { type: 'call', input: { q: 'b' } },
        ],
      },
      usage: { inputTokens: 7, outputTokens: 9, cacheReadTokens: 3, cacheWriteTokens: 2 },
    });
  });
});

it.each([
  [
    'https://bedrock-runtime.eu-west-1.amazonaws.com/model/model-3/invoke-with-response-stream',
    () => createBedrockAdapter({ region: 'eu-west-1', apiKey: 'some-key' }),
  ],
  [
    'https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/europe-west1/publishers/anthropic/models/model-3:streamRawPredict',
    () => createVertexAdapter({ region: 'europe-west1', projectId: 'p', authClient: AUTH_CLIENT }),
  ],
  [
    'https://some.services.ai.azure.com/anthropic/v1/messages',
    () => createFoundryAdapter({ resource: 'some', apiKey: 'some-key' }),
  ],
] satisfies readonly (readonly [string, () => ModelAdapter])[])(
  'the address is %s where one has no other, whatever the environment says',
  async (address, create) => {
    for (const cloud of ['BEDROCK', 'VERTEX', 'FOUNDRY']) vi.stubEnv(`ANTHROPIC_${cloud}_BASE_URL`, 'http://other');
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (url: string) => {
      asked.push(url);
      return new Response('', { status: 404 });
    });
    await failureOf(collect(create().stream(REQUEST, NEVER)));
    expect(asked).toEqual([address]);
  },
);

it('the packages that users are told to install are those that the tests run with', () => {
  const root = join(import.meta.dirname, '..', '..');
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const cloud of ['bedrock', 'vertex', 'foundry']) {
    const source = readFileSync(join(import.meta.dirname, `anthropic-${cloud}.ts`), 'utf8');
    const name = `@anthropic-ai/${cloud}-sdk`;
    expect(source).toContain(`{ name: '${name}', version: '${devDependencies[name]}' }`);
  }
});
