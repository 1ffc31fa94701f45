import { describe, expect, it } from 'vitest';
import type { JsonMap } from './case-format.ts';
import { prepareCase, variantsOf } from './prepare-case.ts';

const tool = (name: string): JsonMap => ({
  name,
  description: name,
  input_schema: { type: 'object' },
  behaviour: { do: 'return', value: '{{repeat:x:3}}' },
  via: 'mcp:one',
});

const raw: JsonMap = {
  id: 'X',
  provider: 'anthropic',
  settings: { max_iterations: 3, api_key: 'key-1' },
  input: [{ user: 'go' }],
  model_responses: [{ repeat: 2, response: { id: 'a{{n}}' } }],
  tools: [tool('a.b'), tool('c')],
  expect: { reported_not_contains: ['{{api_key}}'] },
};

describe('a prepared case', () => {
  it('has its placeholders filled, but for those of the answers', () => {
    const { file } = prepareCase(raw);
    expect(file.expect).toEqual({ reported_not_contains: ['key-1'] });
    expect(file.tools[0]?.behaviour).toEqual({ do: 'return', value: 'xxx' });
    expect(file.model_responses).toEqual(raw['model_responses']);
  });

  it('knows the wire names of its tools, with and without their server', () => {
    const { wireName } = prepareCase(raw);
    expect(wireName('one/a.b')).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(wireName('a.b')).toBe(wireName('one/a.b'));
    expect(() => wireName('one/other')).toThrow('one/other');
  });

  it('is refused when a placeholder has no value', () => {
    expect(() => prepareCase({ ...raw, input: [{ user: '{{what}}' }] })).toThrow('what');
  });
});

describe('repeats', () => {
  it('are none where the case asks for none', () => {
    expect(variantsOf(raw)).toEqual([raw]);
  });

  it('change the keys that they name, merge settings and turn lists round', () => {
    const expect_ = { repeat_with: { tools: 'reversed', settings: { max_iterations: 9 } } };
    const [, repeat] = variantsOf({ ...raw, expect: expect_ });
    expect(repeat?.['settings']).toEqual({ max_iterations: 9, api_key: 'key-1' });
    expect(repeat?.['tools']).toEqual([tool('c'), tool('a.b')]);
    expect(repeat?.['input']).toEqual(raw['input']);
  });
});
