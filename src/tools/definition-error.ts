/** A tool, agent or list of tools that cannot work as written. It names all faults at once. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
  readonly problems: readonly string[];

  /** `definer` is the function whose caller has the fault: the message names that place. */
  constructor(subject: string, problems: readonly string[], definer?: (...args: never) => unknown) {
    const place = definer === undefined ? '' : placeOfCall(definer);
    super(`${subject}${place} is not valid:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** Where a function was called, as ` (file:line:column)`; nothing where the engine does not tell. */
function placeOfCall(callee: (...args: never) => unknown): string {
  const probe: { stack?: string } = {};
  Error.captureStackTrace(probe, callee);
  const place = /^\s+at (?:.*\()?(?:file:\/\/)?(.+?:\d+:\d+)\)?$/m.exec(probe.stack ?? '')?.[1];
  return place === undefined ? '' : ` (${place})`;
}

/** A fault for a number that must be a whole one, or undefined. `minimum` is 1 where it is not given. */
export function wholeNumberProblem(field: string, value: unknown, minimum = 1): string | undefined {
  if (Number.isSafeInteger(value) && (value as number) >= minimum) return undefined;
  return `${field} must be a whole number of at least ${minimum}, not ${printed(value)}`;
}

/** A fault for a text that must have something in it, or undefined. */
export function textProblem(field: string, value: unknown): string | undefined {
  if (typeof value === 'string' && value.trim() !== '') return undefined;
  return `${field} must be a text that is not empty, not ${printed(value)}`;
}

/** A value as an error message shows it: short, and safe for any value. */
export function printed(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
