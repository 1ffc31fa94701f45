import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../agents/agent.ts';
import { judgeByAgent, judgeOutput } from './judge-output.ts';

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

describe('the agent’s own check of an answer', () => {
  const output = z.object({ degrees: z.number() }).refine(({ degrees }) => degrees > -274, 'colder than can be');
  const agent = defineAgent({ name: 'a', instructions: '', model: 'demo', output });

  test('finds what no JSON Schema can say', async () => {
    expect(await judgeByAgent({ output: { degrees: -300 } }, agent.output, agent)).toEqual({
      outputProblem: 'colder than can be',
    });
    expect(await judgeByAgent({ output: { degrees: 3 } }, agent.output, agent)).toEqual({ output: { degrees: 3 } });
  });

  test('counts for its own schema only, and where there is an answer', async () => {
    const cold = { output: { degrees: -300 } };
    expect(await judgeByAgent(cold, { type: 'object' }, agent)).toBe(cold);
    expect(await judgeByAgent(cold, agent.output, undefined)).toBe(cold);
    expect(await judgeByAgent(undefined, agent.output, agent)).toBeUndefined();
    const unfit = { outputProblem: 'it is no JSON' };
    expect(await judgeByAgent(unfit, agent.output, agent)).toBe(unfit);
  });
});
