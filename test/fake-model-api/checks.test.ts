import { describe, expect, test } from 'vitest';
import { checkFailure, runChecks } from './checks.ts';
import { type Checked, valueAt } from './paths.ts';
import { answer, assistant, call, cutStream, requestOf, result, text, user } from './samples.ts';

function checked(body: unknown): Checked {
  return { body, text: JSON.stringify(body) };
}

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const marked = { ...text('do it'), cache_control: { type: 'ephemeral' } };
const conversation = checked({
  ...requestOf(
    user(marked),
    assistant(text('hm'), call('a', { n: 1 }), call('b', {})),
    user(result('a', [text('one '), text('two'), image]), { ...result('b', 'broken'), is_error: true }),
  ),
  tools: [{ name: 'look' }, { name: 'box_alpha' }],
  schema: { type: 'object', properties: { a: { type: 'string', minLength: 1 } }, required: ['a'] },
  odd_schema: { type: 'object', properties: { a: { oneOf: [] } } },
  json: '{"a":1}',
  count: 3,
});

function holds(path: string, op: string, value?: unknown): boolean {
  return checkFailure({ path, op, value }, conversation, { wireName: (name) => name.replace('/', '_') }) === undefined;
}

describe('paths', () => {
  test.each([
    ['messages[-1].content[0].type', 'tool_result'],
    ['messages[1].content[*].type', ['text', 'tool_use', 'tool_use']],
    ['messages[*].content[*].type', ['text', 'text', 'tool_use', 'tool_use', 'tool_result', 'tool_result']],
    ['messages[7].content', undefined],
    ['count.deeper', undefined],
    ['$all_tool_use_ids', ['a', 'b']],
    ['$cache_control_count', 1],
    ['$image_media_types', ['image/png']],
    ['$image_base64_lengths', [4]],
    ['result_of(a).text', 'one two'],
    ['result_of(b).text', 'broken'],
    ['result_of(b).is_error', true],
    ['result_of(a).is_error', undefined],
    ['result_of(zz).text', undefined],
  ])('%s is %j', (path, value) => {
    expect(valueAt(path, conversation)).toEqual(value);
  });

  test('a path that is malformed or unknown throws', () => {
    expect(() => holds('messages[x]', 'absent')).toThrow('malformed');
    expect(() => holds('$nothing', 'absent')).toThrow('unknown path');
  });
});

describe('each op holds and fails', () => {
  test.each<[op: string, path: string, good: unknown, bad: unknown]>([
    ['equals', 'count', 3, 4],
    ['deep_equals', 'messages[1].content[1].input', { n: 1 }, { n: 2 }],
    ['deep_equals', 'messages[0].content', [text('do it')], [text('do')]],
    ['deep_equals_ignoring_absent', 'messages[2].content[*].is_error', [true], [false]],
    ['contains', 'messages[1].content', '"n":1', '"n":2'],
    ['contains', 'result_of(b).text', 'oke', 'x'],
    ['not_contains', '$body', 'secret', 'broken'],
    ['matches', 'result_of(b).text', '(?i)^BROK', '^BROK'],
    ['not_matches', 'result_of(b).text', '^BROK', '(?i)^BROK'],
    ['length', 'messages', 3, 2],
    ['min_length', 'result_of(b).text', 6, 7],
    ['max_length', 'result_of(b).text', 6, 5],
    ['max', '$cache_control_count', 1, 0],
    ['one_of', 'result_of(a).is_error', [false, null], [true]],
    ['is_type', 'messages[1].content[2].input', 'object', 'array'],
    ['not_contains_type', 'messages[0].content', 'tool_result', 'text'],
    ['contains_wire_name', 'tools[*].name', 'box/alpha', 'box/beta'],
    ['not_contains_wire_name', 'tools[*].name', 'box/beta', 'box/alpha'],
    ['equals_path', 'messages[1].content[1].id', 'messages[2].content[0].tool_use_id', 'messages[0].role'],
    ['each_equals', 'messages[2].content[*].type', 'tool_result', 'text'],
    ['each_in', '$image_media_types', ['image/png', 'image/gif'], ['image/gif']],
    ['each_matches', 'tools[*].name', '^[a-z_]{1,64}$', '^l'],
    ['each_max', '$image_base64_lengths', 4, 3],
    ['each_min_length', 'messages[*].content', 1, 2],
    ['each_max_length', 'messages[*].content', 3, 2],
  ])('%s at %s', (op, path, good, bad) => {
    expect([holds(path, op, good), holds(path, op, bad)]).toEqual([true, false]);
  });

  test.each([
    ['absent', 'result_of(a).is_error', 'result_of(b).is_error'],
    ['all_unique', '$all_tool_use_ids', 'messages[2].content[*].type'],
    ['is_json_object', 'json', 'messages[0].role'],
    ['absent_or_gemini_subset', 'schema', 'odd_schema'],
    ['absent_or_gemini_subset', 'nothing', 'tools'],
    ['well_formed', '$body', 'nothing'],
    ['valid', '$pairs', 'nothing'],
  ])('%s holds at %s and not at %s', (op, good, bad) => {
    expect([holds(good, op), holds(bad, op)]).toEqual([true, false]);
  });

  test('an op on a value that is no list or has no length fails', () => {
    expect(holds('count', 'each_max', 9)).toBe(false);
    expect(holds('count', 'max_length', 9)).toBe(false);
    expect(holds('nothing', 'each_in', [])).toBe(false);
  });

  test('valid tells what is wrong with the pairs', () => {
    const open = checked(requestOf(user(text('x')), assistant(call('a'))));
    expect(checkFailure({ path: '$pairs', op: 'valid' }, open)).toContain(
      'without `tool_result` blocks immediately after: a',
    );
  });

  test('well_formed finds half a pair', () => {
    expect(checkFailure({ path: '$body', op: 'well_formed' }, { body: {}, text: '"\\ud83d"' })).toBeDefined();
  });

  test('an unknown op throws', () => {
    expect(() => holds('count', 'is_nice')).toThrow('unknown op');
  });
});

describe('which request', () => {
  const requests = [checked({ i: 0 }), checked({ i: 1 })];
  const run = (request: number | 'each' | 'any', value: number) =>
    runChecks([{ request, path: 'i', op: 'equals', value }], requests);

  test('a number counts from the start or from the end', () => {
    expect(run(1, 1)).toEqual([]);
    expect(run(-2, 0)).toEqual([]);
    expect(run(-1, 0)).toEqual(['request 1: i equals 0: is 1']);
  });

  test('a request that never came is a failure', () => {
    expect(run(2, 0)[0]).toContain('only 2 requests');
    expect(runChecks([{ request: 'each', path: 'i', op: 'absent' }], [])[0]).toContain('no requests');
  });

  test('each wants all, any wants one', () => {
    expect(run('each', 0)).toEqual(['request 1: i equals 0: is 1']);
    expect(run('any', 0)).toEqual([]);
    expect(run('any', 5)).toHaveLength(2);
  });

  test('deep_equals_response compares with an answer of the case', () => {
    const whole = answer(text('hm'), call('a', { n: 1 }), call('b', {}));
    const check = { request: 0, path: 'messages[1].content', op: 'deep_equals_response', value: 1 } as const;
    expect(runChecks([check], [conversation], [answer(text('x')), whole])).toEqual([]);
    expect(runChecks([check], [conversation], [0, cutStream(whole, 0, 'close')])).toEqual([]);
    expect(runChecks([check], [conversation], [whole, answer(text('x'))])).toHaveLength(1);
  });
});
