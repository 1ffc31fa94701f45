import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { jsonBytes } from '../protocol/json.ts';
import type { JsonObject } from '../protocol/messages.ts';
import { createRegistry, type Execution } from './registry.ts';
import { defineTool, type Tool, type ToolCall, ToolError } from './tool.ts';

const ignore = (): void => undefined;
const call: ToolCall = {
  idempotencyKey: 'run/call_1',
  attempt: 1,
  signal: new AbortController().signal,
  log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  heartbeat: ignore,
  runId: 'run',
  callId: 'call_1',
  agent: 'demo',
};

function tool(name: string, run: (input: JsonObject) => unknown = () => 'ok', description = `Tool ${name}`): Tool {
  const input = { type: 'object', properties: { level: { type: 'number' } }, additionalProperties: false } as const;
  return defineTool({ name, description, input, effect: 'read', run });
}

function runOf(handler: (input: JsonObject) => unknown, input: JsonObject = {}): Promise<Execution> {
  return createRegistry([tool('t', handler)]).execute('t', input, call, 4_000);
}

const textOf = ({ content: [block] }: Execution) => (block?.type === 'text' ? block.text : '');

describe('the list of tools', () => {
  test('is sorted by wire name and byte for byte the same in any order', () => {
    const tools = [tool('b'), tool('files.read'), tool('Z'), tool('a')];
    const there = JSON.stringify(createRegistry(tools).specs());
    expect(JSON.stringify(createRegistry(tools.reverse()).specs())).toBe(there);
    expect(
      createRegistry(tools)
        .specs()
        .map(({ name }) => name),
    ).toEqual(['Z', 'a', 'b', 'files_read_601e4eb6']);
  });

  test('refuses two tools of one name, and names both', () => {
    const twins = () => createRegistry([tool('x', ignore, 'First'), tool('x', ignore, 'Second')]);
    expect(twins).toThrow('two tools are named "x": "First" and "Second"');
  });

  test('takes the same tool of two agents once', () => {
    const shared = tool('x');
    expect(createRegistry([shared, shared]).specs()).toHaveLength(1);
  });

  test('finds a tool by its wire name only, and nothing that an object would have by itself', () => {
    const dotted = tool('files.read');
    const registry = createRegistry([dotted]);
    expect(registry.get(registry.wireName(dotted))).toBe(dotted);
    for (const name of ['files.read', 'constructor', '__proto__', 'toString'])
      expect(registry.get(name)).toBeUndefined();
    expect(() => registry.wireName(tool('files.read'))).toThrow('not a tool of this registry');
  });

  test('snapshots carry policy, and the name in code where it differs', () => {
    const registry = createRegistry([tool('files.read'), tool('ping')]);
    expect(registry.snapshots()).toMatchObject([
      { name: 'files_read_601e4eb6', toolName: 'files.read', effect: 'read', maxAttempts: 3, quick: false },
      { name: 'ping', timeoutMs: 30_000, maxResultBytes: 196_608 },
    ]);
    for (const named of ['files.read', 'files_read_601e4eb6']) {
      expect(registry.snapshots([named]).map(({ name }) => name)).toEqual(['files_read_601e4eb6']);
    }
    expect(() => registry.snapshots(['pong'])).toThrow('no tool is named "pong"');
  });
});

describe('the verdict', () => {
  const registry = createRegistry([tool('search_web'), tool('read_page')]);

  test('a good call is ok', async () => {
    expect(await registry.verdict('search_web', { input: { level: 1 } })).toEqual({ status: 'ok' });
  });

  test('an unknown tool does not exist, and the real names are told', async () => {
    const verdict = await registry.verdict('serch_web', { input: {} });
    expect(verdict).toEqual({
      status: 'unknown_tool',
      text: 'The tool "serch_web" does not exist. The tools are: read_page, search_web.',
    });
    expect(JSON.stringify(verdict)).not.toMatch(/denied|approval|permission/i);
  });

  test('a tool of the worker that this model was not offered does not exist for it', async () => {
    const verdict = await registry.verdict('read_page', { input: {} }, ['search_web']);
    expect(verdict).toMatchObject({ status: 'unknown_tool', text: expect.stringMatching(/are: search_web\.$/) });
  });

  test('a list of hundreds of tools and a huge made-up name stay short', async () => {
    const many = createRegistry(Array.from({ length: 500 }, (_, index) => tool(`tool_${index}`)));
    const verdict = await many.verdict('x'.repeat(100_000), { input: {} });
    expect(jsonBytes(verdict)).toBeLessThan(4_096);
    expect(verdict).toHaveProperty('text', expect.stringContaining('and 436 more'));
    expect(await createRegistry([]).verdict('x', { input: {} })).toHaveProperty(
      'text',
      expect.stringContaining('There are no tools'),
    );
  });

  test('an input that is no JSON object is told apart from one that is no JSON', async () => {
    expect(await registry.verdict('search_web', { input: {}, malformed: '{"q": "ca' })).toMatchObject({
      status: 'invalid_input',
      path: '',
      text: expect.stringContaining('is invalid JSON'),
    });
    const list = await registry.verdict('search_web', { input: {}, malformed: '[]' });
    expect(list).toHaveProperty('text', expect.stringContaining('must be a JSON object'));
  });

  test('an input that breaks the schema names the field', async () => {
    expect(await registry.verdict('search_web', { input: { level: 'ten' } })).toEqual({
      status: 'invalid_input',
      path: 'level',
      text: 'Invalid input for "search_web", so the tool was not run. level: must be number',
    });
  });
});

describe('one execution', () => {
  test('gives the handler the parsed input and the call', async () => {
    const parsing = defineTool({
      name: 'p',
      description: 'p',
      input: z.object({ n: z.coerce.number() }),
      effect: 'read',
      run: ({ n }, { idempotencyKey }) => ({ twice: n * 2, idempotencyKey }),
    });
    const done = await createRegistry([parsing]).execute('p', { n: '4' }, call, 4_000);
    expect(done).toEqual({
      outcome: 'completed',
      content: [{ type: 'text', text: '{"twice":8,"idempotencyKey":"run/call_1"}' }],
      retryable: false,
    });
  });

  test('an invalid input or an unknown tool fails for good without running a handler', async () => {
    let runs = 0;
    expect(await runOf(() => runs++, { level: 'x' })).toMatchObject({ outcome: 'failed', retryable: false });
    expect(await createRegistry([]).execute('t', {}, call, 4_000)).toMatchObject({
      outcome: 'failed',
      retryable: false,
    });
    expect(runs).toBe(0);
  });

  test('a ToolError is for the model and final, anything else may be tried again', async () => {
    const known = new ToolError('No such city.');
    const broken = new Error('socket hang up');
    const thrower = (error: unknown) => () => {
      throw error;
    };
    expect(await runOf(thrower(known))).toEqual({
      outcome: 'failed',
      content: [{ type: 'text', text: 'No such city.' }],
      retryable: false,
      error: known,
    });
    expect(await runOf(thrower(broken))).toMatchObject({ outcome: 'failed', retryable: true, error: broken });
    expect(await runOf(() => Promise.reject(broken))).toMatchObject({ outcome: 'failed', retryable: true });
    expect(textOf(await runOf(thrower(new Error(''))))).toBe('The tool "t" failed and gave no reason.');
    expect(await runOf(thrower(null))).toMatchObject({ outcome: 'failed', retryable: true, error: null });
  });

  test('never throws and never goes over its cap, whatever is returned or thrown', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything({ withBigInt: true }), fc.boolean(), async (value, throws) => {
        const execution = await createRegistry([
          tool('t', () => {
            if (throws) throw value;
            return value;
          }),
        ]).execute('t', {}, call, 600);
        expect(execution.outcome).toBe(throws ? 'failed' : 'completed');
        expect(execution.content.length).toBeGreaterThan(0);
        expect(jsonBytes(execution.content)).toBeLessThanOrEqual(600);
        expect(textOf(execution)).not.toBe('');
      }),
    );
  });
});
