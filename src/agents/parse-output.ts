import type { RunResult } from '../protocol/run.ts';
import { compileInput, type InputOf, type InputSchema } from '../tools/input-schema.ts';

/**
 * The output of a run as the schema's own type, transforms and defaults applied: the schema is the one that the agent was
 * defined with. Throws where the run has no output (it did not complete, or nobody asked for one), or where it does not fit.
 */
export async function parseOutput<S extends InputSchema>(
  schema: S,
  { status, text, output }: Pick<RunResult, 'status' | 'text' | 'output'>,
): Promise<InputOf<S>> {
  if (output === undefined) throw new Error(`the run has no output; it is ${status}: ${text}`);
  const compiled = compileInput(schema);
  if (typeof compiled === 'string') throw new TypeError(compiled);
  const checked = await compiled.validate(output as Parameters<typeof compiled.validate>[0]);
  if (checked.status === 'invalid') throw new Error(`the output does not fit the schema: ${checked.message}`);
  return checked.value as InputOf<S>;
}
