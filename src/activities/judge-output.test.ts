import { describe, expect, test } from 'vitest';
import { judgeOutput } from './judge-output.ts';

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'number' } },
  required: ['city', 'degrees'],
  additionalProperties: false,
};
const says = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] }) as const;

describe('the output of a final answer', () => {
  test.each([
    ['plain', '{"city":"Seoul","degrees":3}'],
    ['fenced', '```json\n{"city":"Seoul","degrees":3}\n```'],
    ['padded', '  {"city":"Seoul","degrees":3}\n'],
  ])('is its JSON: %s', (_, text) => {
    expect(judgeOutput(schema, says(text), 'end_turn')).toEqual({ output: { city: 'Seoul', degrees: 3 } });
  });

  test('is refused with the field that does not fit', () => {
    const verdict = judgeOutput(schema, says('{"city":"Seoul","degrees":"three"}'), 'end_turn');
    expect(verdict).toEqual({ outputProblem: 'degrees: must be number' });
  });

  test.each(['It is cold.', '', '{"city":'])('is refused where it is no JSON: %j', (text) => {
    const verdict = judgeOutput(schema, text ? says(text) : null, 'end_turn');
    expect(verdict).toEqual({ outputProblem: expect.stringContaining('no JSON') });
  });

  test('is not judged where nobody asked for one, or the answer goes on', () => {
    const call = { type: 'call', callId: 'a', name: 'look', input: {} } as const;
    expect(judgeOutput(undefined, says('text'), 'end_turn')).toBeUndefined();
    expect(judgeOutput(schema, says('cut'), 'max_tokens')).toBeUndefined();
    expect(judgeOutput(schema, { role: 'assistant', content: [call] }, 'end_turn')).toBeUndefined();
  });
});
