import { describe, expect, it } from 'vitest';
import { createModels, parseModelName } from './by-name.ts';
import type { ModelAdapter } from './model-adapter.ts';

const ADAPTER: ModelAdapter = { stream: () => (async function* () {})() };

describe('parseModelName', () => {
  it.each([
    ['anthropic/claude-x', 'anthropic', 'claude-x'],
    ['claude-x', 'anthropic', 'claude-x'],
    ['gpt-x', 'openai', 'gpt-x'],
    ['chatgpt-x', 'openai', 'chatgpt-x'],
    ['o3', 'openai', 'o3'],
    ['o4-mini', 'openai', 'o4-mini'],
    ['gemini-x', 'google', 'gemini-x'],
    ['deepseek-x', 'deepseek', 'deepseek-x'],
    ['demo', 'demo', 'demo'],
    ['demo/slow', 'demo', 'slow'],
    ['router/maker/model', 'router', 'maker/model'],
  ])('reads %s', (name, provider, model) => {
    expect(parseModelName(name)).toEqual({ provider, model });
  });

  it.each([
    '',
    'gpt',
    '/model',
    'anthropic/',
    'claude-',
    'my-claude-x',
    'demo2',
    'gpt-',
    'oracle',
    'gemini',
    'deepseek-',
  ])('refuses "%s"', (name) => {
    expect(() => parseModelName(name)).toThrow(
      expect.objectContaining({ kind: 'not_found', retryable: false, message: expect.stringContaining(`"${name}"`) }),
    );
  });
});

describe('createModels', () => {
  it('loads a provider once, on first use', async () => {
    let loads = 0;
    const models = createModels({
      demo: async () => {
        loads++;
        return ADAPTER;
      },
    });
    expect(loads).toBe(0);
    const found = await Promise.all([models.find('demo'), models.find('demo/b')]);
    expect(found).toMatchObject([
      { provider: 'demo', model: 'demo' },
      { provider: 'demo', model: 'b' },
    ]);
    expect(found[0]?.adapter).toBe(found[1]?.adapter);
    expect(loads).toBe(1);
  });

  it.each(['anthropic/x', 'constructor/x'])('names the providers when %s has none', async (name) => {
    const models = createModels({ demo: async () => ADAPTER });
    await expect(models.find(name)).rejects.toMatchObject({
      kind: 'not_found',
      retryable: false,
      message: expect.stringContaining('Allowed: demo'),
    });
  });
});
