import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DefinitionError } from './definition-error.ts';
import { defineTool, type ToolDefinition } from './tool.ts';

const good: ToolDefinition<z.ZodObject> = {
  name: 'ping',
  description: 'Pings.',
  input: z.object({}),
  effect: 'read',
  run: () => 'ok',
};

function problemsOf(change: Readonly<Record<string, unknown>>): readonly string[] {
  try {
    defineTool({ ...good, ...change } as ToolDefinition<z.ZodObject>);
  } catch (error) {
    if (error instanceof DefinitionError) return error.problems;
    throw error;
  }
  return [];
}

describe('defineTool', () => {
  test('fills in the defaults and gives the spec that the model sees', () => {
    const tool = defineTool(good);
    expect(tool).toMatchObject({ timeoutMs: 30_000, maxAttempts: 3, maxResultBytes: 196_608, quick: false });
    expect(tool.spec()).toEqual({
      name: 'ping',
      description: 'Pings.',
      input_schema: { type: 'object', properties: {} },
    });
    expect(defineTool({ ...good, effect: 'once' }).maxAttempts).toBe(1);
  });

  test('tells all faults at once', () => {
    const faulty = {
      name: ' ',
      description: '',
      input: 7,
      effect: undefined,
      timeoutMs: 0,
      maxAttempts: 1.5,
      maxResultBytes: 10,
      run: 'x',
    };
    expect(problemsOf(faulty)).toEqual([
      'name must be a text that is not empty, not " "',
      'description must be a text that is not empty, not ""',
      'effect must be one of read, idempotent, once, not undefined',
      'timeoutMs must be a whole number of at least 1, not 0',
      'maxAttempts must be a whole number of at least 1, not 1.5',
      'maxResultBytes must be a whole number of at least 512, not 10',
      'run must be a function, not "x"',
      'input must be a Zod 4 or Standard Schema object, or a JSON Schema, not 7',
    ]);
  });

  test('names the tool in the message of its error', () => {
    expect(() => defineTool({ ...good, timeoutMs: -1 })).toThrow(
      /^tool "ping" \(\S+tool\.test\.ts:\d+:\d+\) is not valid:\n- timeoutMs must be/,
    );
  });

  test.each([
    [{ quick: true, effect: 'idempotent' }, 'quick needs effect "read", not "idempotent"'],
    [{ quick: 'yes' }, 'quick must be true or false, not "yes"'],
    [{ effect: 'once', maxAttempts: 2 }, 'maxAttempts must be 1 where effect is "once", not 2'],
    [{ effect: 'write' }, 'effect must be one of read, idempotent, once, not "write"'],
  ])('refuses %j', (change, problem) => {
    expect(problemsOf(change)).toEqual([problem]);
  });
});
