import { describe, expect, test } from 'vitest';
import { chatWire, deepSeekWire } from './chat.ts';
import { openRouterWire } from './openrouter.ts';
import { responsesWire } from './responses.ts';
import type { Json } from './wire-fake.ts';

const LONG = 'x'.repeat(65);
const USER = { role: 'user', content: 'hi' };

function called(id: string, written = '{}', name = 'look'): Json {
  return { id, type: 'function', function: { name, arguments: written } };
}

function asking(...calls: readonly Json[]): Json {
  return { role: 'assistant', content: null, tool_calls: calls };
}

const answering = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: 'ok' });
const tool = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} } },
});

describe('Chat Completions', () => {
  const complaint = (messages: readonly Json[], more: Json = {}) =>
    chatWire.complaintAbout({ messages, ...more }, [], '');

  test('takes what is right', () => {
    const messages = [
      { role: 'system', content: 's' },
      USER,
      asking(called('a'), called('b')),
      answering('b'),
      answering('a'),
      USER,
    ];
    expect(complaint(messages, { tools: [tool('look')] })).toBeUndefined();
  });

  test.each<[complaint: string, messages: readonly Json[]]>([
    ['must not be empty', []],
    ['unknown role', [{ role: 'model', content: 'a' }]],
    ['user message is empty', [{ role: 'user', content: ' ' }]],
    ['user message is empty', [{ role: 'user', content: [] }]],
    ['unknown part', [{ role: 'user', content: [{ type: 'image' }] }]],
    ['text part is empty', [{ role: 'user', content: [{ type: 'text', text: '' }] }]],
    ['assistant message is empty', [USER, { role: 'assistant', content: null }]],
    ['tool_calls is empty', [USER, { role: 'assistant', content: 'a', tool_calls: [] }]],
    ['bad call id', [USER, asking(called('x'.repeat(41))), answering('x'.repeat(41))]],
    ['bad name', [USER, asking(called('a', '{}', 'a.b')), answering('a')]],
    ['JSON object', [USER, asking(called('a', '{"a')), answering('a')]],
    ['JSON object', [USER, asking(called('a', '[]')), answering('a')]],
    ['no answer to b', [USER, asking(called('a'), called('b')), answering('a')]],
    ['no answer to a', [USER, asking(called('a')), USER, answering('a')]],
    ['no call for', [USER, answering('a')]],
    ['not unique', [USER, asking(called('a'), called('a')), answering('a')]],
    ['not unique', [USER, asking(called('a')), answering('a'), asking(called('a')), answering('a')]],
    ['needs a text', [USER, asking(called('a')), { ...answering('a'), content: '' }]],
  ])('refuses: %s', (words, messages) => {
    expect(complaint(messages)).toContain(words);
  });

  test.each<[complaint: string, tools: readonly Json[]]>([
    ['0 tools', []],
    ['129 tools', Array.from({ length: 129 }, () => tool('a'))],
    ['bad tool', [tool('a.b')]],
    ['without properties', [{ type: 'function', function: { name: 'a', parameters: { type: 'object' } } }]],
  ])('refuses: %s', (words, tools) => {
    expect(complaint([USER], { tools })).toContain(words);
  });
});

describe('OpenRouter', () => {
  const complaint = (...tools: readonly Json[]) => openRouterWire.complaintAbout({ messages: [USER], tools }, [], '');
  const search = { type: 'openrouter:web_search' };

  test('takes its own tools, alone and beside functions', () => {
    expect(complaint(search)).toBeUndefined();
    expect(complaint(tool('look'), { ...search, parameters: { max_results: 3 } })).toBeUndefined();
  });

  test.each<[complaint: string, tools: readonly Json[]]>([
    ['max_results is no field', [{ ...search, max_results: 3 }]],
    ['no object', [{ ...search, parameters: 3 }]],
    ['bad tool', [search, { type: 'web_search' }]],
    ['bad tool', [search, tool('a.b')]],
  ])('refuses: %s', (words, tools) => {
    expect(complaint(...tools)).toContain(words);
  });
});

describe('DeepSeek', () => {
  const sent = { choices: [{ message: { ...asking(called('a')), reasoning_content: 'hm' } }] };
  const complaint = (more: Json) => {
    return deepSeekWire.complaintAbout(
      { messages: [USER, { ...asking(called('a')), ...more }, answering('a')] },
      [sent],
      '',
    );
  };

  test('wants the reasoning of each call as it was', () => {
    expect(complaint({ reasoning_content: 'hm' })).toBeUndefined();
    expect(complaint({ reasoning_content: '' })).toContain('was changed');
    expect(complaint({})).toContain('is missing');
  });

  test.each<[complaint: string, format: string, said: string]>([
    ['is unavailable', 'json_schema', 'in JSON'],
    ['the word json', 'json_object', 'hi'],
  ])('refuses: %s', (words, type, content) => {
    const body = { messages: [{ role: 'user', content }], response_format: { type } };
    expect(deepSeekWire.complaintAbout(body, [], '')).toContain(words);
  });
});

describe('Responses', () => {
  const said = { role: 'user', content: [{ type: 'input_text', text: 'hi' }] };
  const reasoning = { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'x' };
  const call = { type: 'function_call', id: 'fc', call_id: 'a', name: 'look', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'a', output: 'ok' };
  const complaint = (input: readonly Json[], more: Json = {}) => {
    return responsesWire.complaintAbout({ input, ...more }, [{ output: [reasoning, call] }], '');
  };

  test('takes what is right', () => {
    const tools = [{ type: 'function', name: 'look', strict: false }, { type: 'web_search' }];
    expect(
      complaint([said, reasoning, call, output, { role: 'assistant', content: 'a' }, said], { tools }),
    ).toBeUndefined();
  });

  test.each<[complaint: string, input: readonly Json[]]>([
    ['must not be empty', []],
    ['message is empty', [{ role: 'user', content: [] }]],
    ['message is empty', [{ role: 'assistant', content: '' }]],
    ['part output_text', [{ role: 'user', content: [{ type: 'output_text', text: 'a' }] }]],
    ['part input_text', [{ role: 'assistant', content: [{ type: 'input_text', text: 'a' }] }]],
    ['text is empty', [{ role: 'user', content: [{ type: 'input_text', text: '' }] }]],
    ['bad call_id', [said, { ...call, id: 'x', call_id: LONG }, { ...output, call_id: LONG }]],
    ['bad name', [said, { ...call, id: 'x', name: '' }, output]],
    ['JSON object', [said, { ...call, id: 'x', arguments: '' }, output]],
    ['output is empty', [said, { ...call, id: 'x' }, { ...output, output: '' }]],
    ['bad output', [said, { ...call, id: 'x' }, { ...output, output: [] }]],
    ['No tool output found', [said, reasoning, call]],
    ['No tool call found', [said, output]],
    ['not unique', [said, reasoning, call, { ...call, id: 'x' }, output]],
    ["required 'reasoning' item", [said, call, output]],
    ["required 'reasoning' item", [said, { ...reasoning, encrypted_content: 'y' }, call, output]],
    ['required following item', [said, reasoning, said]],
    ['required following item', [said, reasoning]],
  ])('refuses: %s', (words, input) => {
    expect(complaint(input)).toContain(words);
  });

  test.each<[complaint: string, tools: readonly Json[]]>([
    ['0 tools', []],
    ['bad name', [{ type: 'function', name: 'a.b', strict: false }]],
    ['strict', [{ type: 'function', name: 'a' }]],
  ])('refuses: %s', (words, tools) => {
    expect(complaint([said], { tools })).toContain(words);
  });
});
