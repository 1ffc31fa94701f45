import { describe, expect, test } from 'vitest';
import type { StateBranch } from './answers.ts';
import { answer, call, requestOf, text, user } from './samples.ts';
import { createScript } from './script.ts';

const body = requestOf(user(text('do it')));
const one = answer(text('one'));
const two = answer(text('two'));

function drain(script: (body: unknown) => unknown): unknown[] {
  const answers: unknown[] = [];
  for (let next = script(body); next !== undefined; next = script(body)) answers.push(next);
  return answers;
}

describe('a script', () => {
  test('gives its answers in order, then none', () => {
    expect(drain(createScript({ responses: [one, two] }))).toEqual([one, two]);
  });

  test('repeats an answer with a number that counts from 1', () => {
    const script = createScript({
      responses: [{ repeat: 2, response: answer(call('toolu_{{n}}', { i: '{{n}}' })) }, one],
    });
    expect(drain(script)).toEqual([answer(call('toolu_1', { i: '1' })), answer(call('toolu_2', { i: '2' })), one]);
  });

  test('goes round a list as many times as asked', () => {
    expect(drain(createScript({ responses: [{ cycle: [one, two], times: 3 }] }))).toEqual([one, two, one]);
  });

  test('takes the branch whose checks hold for the request', () => {
    const when = [{ path: '$body', op: 'contains', value: 'do it' }];
    const never = [{ path: 'messages', op: 'length', value: 9 }];
    const branch = (checks: StateBranch['when'], response = two): StateBranch => ({ when: checks, response });
    expect(drain(createScript({ responses: [{ then_by_state: [branch(never, one), branch(when)] }] }))).toEqual([two]);
    expect(drain(createScript({ responses: [{ then_by_state: [{ response: one }] }] }))).toEqual([one]);
    const nothingFits = createScript({ responses: [{ then_by_state: [branch(never)] }] });
    expect(() => nothingFits(body)).toThrow('no branch');
  });

  test('fills placeholders by name and by length', () => {
    const responses = [answer(call('a', { size: '{{repeat:x:5}}' }, '{{wire_name:fs/list}}'))];
    const script = createScript({ responses, placeholders: { 'wire_name:fs/list': 'fs_list' } });
    expect(script(body)).toEqual(answer(call('a', { size: 'xxxxx' }, 'fs_list')));
  });

  test('with a placeholder that has no value fails at once', () => {
    expect(() => createScript({ responses: [answer(text('{{nobody}}'))] })).toThrow('{{nobody}}');
  });
});
