import { afterEach, expect, it, vi } from 'vitest';
import { CLAUDE_WIRES } from '../test/adapters/claude-wires.ts';
import { collect, type Finished, NEVER, REQUEST } from '../test/adapters/contract-asks.ts';
import { startGoogleCredentials } from '../test/fake-claude-clouds/google-credentials.ts';
import { startWireFake } from '../test/fake-openai-api/wire-fake.ts';
import { createModels } from './adapters/by-name.ts';
import { readConfig } from './config.ts';
import { adaptersOf } from './providers.ts';

/** What a user writes for each service that answers as Claude. */
const VARIABLES: Readonly<Record<string, (url: string) => NodeJS.ProcessEnv>> = {
  anthropic: (url) => ({ ANTHROPIC_API_KEY: 'some-key', ANTHROPIC_BASE_URL: url }),
  bedrock: (url) => ({
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'AKIA',
    AWS_SECRET_ACCESS_KEY: 'some-key',
    ANTHROPIC_BEDROCK_BASE_URL: url,
  }),
  vertex: (url) => ({
    CLOUD_ML_REGION: 'us-east5',
    ANTHROPIC_VERTEX_PROJECT_ID: 'some-project',
    ANTHROPIC_VERTEX_BASE_URL: `${url}/v1`,
  }),
  foundry: (url) => ({ ANTHROPIC_FOUNDRY_API_KEY: 'some-key', ANTHROPIC_FOUNDRY_BASE_URL: `${url}/anthropic` }),
};

afterEach(() => {
  vi.unstubAllEnvs();
});

it.each(CLAUDE_WIRES)('a model of $name is found by its name and reached by its variables', async (under) => {
  const google = await startGoogleCredentials('some-token');
  for (const [name, value] of Object.entries(google.env)) vi.stubEnv(name, value);
  const fake = await startWireFake(under.wire, { sse: under.stream([{ text: 'Here.' }], 'stop') });
  const config = readConfig(VARIABLES[under.name]?.(fake.url) ?? {}, import.meta.dirname);
  const { adapter, model } = await createModels(adaptersOf(config)).find(`${under.name}/claude-x`);
  const events = await collect(adapter.stream({ ...REQUEST, model }, NEVER));
  await fake.close();
  await google.close();
  expect(fake.rejections).toEqual([]);
  expect((events.at(-1) as Finished).message.content).toEqual([{ type: 'text', text: 'Here.' }]);
});
