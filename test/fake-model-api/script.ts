import type { Answer, ScriptEntry, StateBranch } from './answers.ts';
import { checkFailure } from './checks.ts';
import { fillPlaceholders, type Placeholders } from './placeholders.ts';
import { isObject } from './wire.ts';

/** What decides on the next answer besides the list itself. */
export interface ScriptOptions {
  readonly responses: readonly ScriptEntry[];
  readonly placeholders?: Placeholders;
  /** Requests for this model get the answers marked `for: child`, in their own order. */
  readonly childModel?: string;
  /** Requests for this model get this answer, each time. */
  readonly compaction?: { readonly model: string; readonly response: Answer };
}

/** The answer to a request body, or undefined when the list is used up. Each call takes one answer. */
export type Script = (body: unknown) => Answer | undefined;

type Source = Generator<Answer | readonly StateBranch[], undefined>;

/** A script from a list of answers in the words of the case format. Throws where a placeholder has no value. */
export function createScript({ responses, placeholders = {}, childModel, compaction }: ScriptOptions): Script {
  fillPlaceholders([responses, compaction], placeholders); // a missing value must fail at once, not in mid-run
  const fill = <T>(value: T, n: number): T => fillPlaceholders(value, placeholders, n);
  const main = expand(
    responses.filter((entry) => !isForChild(entry)),
    fill,
  );
  const child = expand(
    responses.filter(isForChild).map((entry) => entry.response),
    fill,
  );
  return (body) => {
    const model = isObject(body) ? body['model'] : undefined;
    if (compaction && model === compaction.model) return fill(compaction.response, 1);
    const next = (childModel !== undefined && model === childModel ? child : main).next().value;
    return isBranches(next) ? branchFor(next, body) : next;
  };
}

function* expand(entries: readonly ScriptEntry[], fill: <T>(value: T, n: number) => T): Source {
  for (const [at, entry] of entries.entries()) yield* expandOne(entry, at + 1, fill);
}

function* expandOne(
  entry: ScriptEntry,
  n: number,
  fill: <T>(value: T, n: number) => T,
): Generator<Answer | readonly StateBranch[]> {
  if ('repeat' in entry) {
    for (let count = 1; count <= entry.repeat; count++) yield* expandOne(entry.response, count, fill);
  } else if ('cycle' in entry) {
    for (let count = 0; count < entry.times; count++) {
      const turn = entry.cycle[count % entry.cycle.length];
      if (turn) yield* expandOne(turn, count + 1, fill);
    }
  } else if ('then_by_state' in entry) yield fill(entry.then_by_state, n);
  else if ('for' in entry) throw new Error('an answer for a child stands at the top of the list only');
  else yield fill(entry, n);
}

function isForChild(entry: ScriptEntry): entry is Extract<ScriptEntry, { for: 'child' }> {
  return 'for' in entry;
}

function isBranches(next: Answer | readonly StateBranch[] | undefined): next is readonly StateBranch[] {
  return Array.isArray(next);
}

function branchFor(branches: readonly StateBranch[], body: unknown): Answer {
  const text = JSON.stringify(body);
  const fits = branches.find(({ when = [] }) =>
    when.every((check) => checkFailure(check, { body, text }) === undefined),
  );
  if (!fits) throw new Error('no branch of then_by_state fits the request');
  return fits.response;
}
