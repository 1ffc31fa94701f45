import { z } from 'zod';
import { defineTool, ToolError } from './tool.ts';

/** Digits that a double holds for certain; those after them are noise, such as in 0.1 + 0.2. */
const CERTAIN_DIGITS = 15;

/** The built-in `add_numbers`: the sum of two numbers. */
export const addNumbers = defineTool({
  name: 'add_numbers',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  effect: 'read',
  quick: true,
  run: ({ a, b }) => {
    const sum = a + b;
    if (!Number.isFinite(sum)) throw new ToolError(`${a} + ${b} is too large for a number.`);
    return { sum: Number.isSafeInteger(sum) ? sum : Number(sum.toPrecision(CERTAIN_DIGITS)) };
  },
});
