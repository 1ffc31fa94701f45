import { upsertMemo } from '@temporalio/workflow';
import type { Fact } from '../protocol/facts.ts';
import { jsonBytes } from '../protocol/json.ts';
import { MAX_MEMO_BYTES } from '../protocol/limits.ts';
import { MEMO } from '../protocol/run.ts';

/** Facts that wait to be written. They go into history in batches, one event each, within the deciding workflow task. */
export class FactLog {
  private waiting: Fact[] = [];

  add(fact: Fact): void {
    this.waiting.push(fact);
  }

  /** Writes what waits, and `more` beside it; must be called before every await that ends the workflow task. */
  flush(more?: Readonly<Record<string, unknown>>): void {
    const [last, ...before] = batches(this.waiting).reverse();
    for (const batch of before.reverse()) upsertMemo({ [MEMO.facts]: batch });
    if (last ?? more) upsertMemo({ ...(last && { [MEMO.facts]: last }), ...more });
    this.waiting = [];
  }
}

/** The facts in order, in as few batches as fit the memo's size. A fact that alone is too large stands alone. */
function batches(facts: readonly Fact[]): Fact[][] {
  const result: Fact[][] = [];
  let current: Fact[] = [];
  let bytes = 0;
  for (const fact of facts) {
    const size = jsonBytes(fact) + 1;
    if (current.length > 0 && bytes + size > MAX_MEMO_BYTES) {
      result.push(current);
      current = [];
      bytes = 0;
    }
    current.push(fact);
    bytes += size;
  }
  return current.length > 0 ? [...result, current] : result;
}
