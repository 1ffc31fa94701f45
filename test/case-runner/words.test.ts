import { describe, expect, it } from 'vitest';
import type { JsonMap } from './case-format.ts';
import { CASES, readCase, selectCases } from './select-cases.ts';
import { inspectWords } from './words.ts';

const plain: JsonMap = {
  id: 'X',
  provider: 'anthropic',
  input: [{ user: 'go' }],
  model_responses: [{ type: 'message', content: [] }],
  tools: [{ name: 'a', description: 'a', input_schema: {}, behaviour: { do: 'return', value: 'ok' } }],
  expect: { outcome: 'completed' },
};

describe('the words of a case', () => {
  it('of the format alone have nothing to say against', () => {
    expect(inspectWords(plain)).toEqual({ unknown: [], missing: [] });
  });

  it.each<[string, JsonMap]>([
    ['a key', { extras: [] }],
    ['a setting', { settings: { temperature: 1 } }],
    ['a server-side tool', { settings: { server_tools: ['telephone'] } }],
    ['a field of an input', { input: [{ user: 'go', before: 'idle' }] }],
    ['a field of an answer', { model_responses: [{ status: 200, sleep: 5 }] }],
    ['a field of an answer in a repeat', { model_responses: [{ repeat: 2, response: { state: 200 } }] }],
    ['a field of a tool', { tools: [{ name: 'a', behaviour: { do: 'return' }, colour: 'red' }] }],
    ['a behaviour', { tools: [{ name: 'a', behaviour: { do: 'dance' } }] }],
    ['a moment', { events: [{ on: 'full_moon', do: 'cancel_run' }] }],
    ['a deed', { events: [{ on: 'run_idle', do: 'sing' }] }],
    ['an expectation', { expect: { outcome: 'completed', mood: 'good' } }],
    ['an expectation of the second result', { alternative_expect: { mood: 'good' } }],
    ['a condition', { skip_if: 'it rains' }],
    ['the name of an inherited property', { expect: { constructor: 1 } }],
  ])('with %s that no table has are told', (_, change) => {
    expect(inspectWords({ ...plain, ...change }).unknown).toHaveLength(1);
  });

  it.each<[string, JsonMap]>([
    ['approvals', { tools: [{ name: 'a', behaviour: { do: 'return' }, approval: 'required' }] }],
    ['MCP servers', { mcp_servers: [] }],
    ['sub-agents', { settings: { sub_agents: 'on' } }],
    ['console', { expect: { console: {} } }],
    ['adapter for parrot', { provider: 'parrot' }],
    ['role juggler', { tools: [{ name: 'a', behaviour: { do: 'builtin' }, builtin: 'juggler' }] }],
  ])('that need %s name what is missing', (what, change) => {
    expect(inspectWords({ ...plain, ...change }).missing.join()).toContain(what);
  });

  it('that switch a missing thing off need nothing', () => {
    expect(inspectWords({ ...plain, settings: { sub_agents: 'off' } }).missing).toEqual([]);
  });
});

describe("the project's own cases", () => {
  it('use no word that no table has', async () => {
    const cases = await selectCases([CASES], []);
    const unknown = await Promise.all(cases.map(async ({ path }) => inspectWords(await readCase(path)).unknown));
    expect(cases.length).toBeGreaterThan(0);
    expect(unknown.flat()).toEqual([]);
  });

  it('that are listed as ready need nothing that is missing', async () => {
    const ready = await selectCases([], []);
    const missing = await Promise.all(ready.map(async ({ path }) => inspectWords(await readCase(path)).missing));
    expect(missing.flat()).toEqual([]);
  });
});
