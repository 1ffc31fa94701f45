// Work that is counted and not timed: what grows with the square of a stream shows on any machine.

/** Built-in functions that go over the whole of what they are called on. */
const OVER_TEXT = [
  'includes',
  'indexOf',
  'isWellFormed',
  'lastIndexOf',
  'match',
  'replace',
  'replaceAll',
  'search',
  'split',
  'toWellFormed',
  'trim',
  'trimEnd',
  'trimStart',
] as const;
const OVER_LIST = [
  Symbol.iterator,
  'concat',
  'every',
  'filter',
  'find',
  'findLast',
  'flat',
  'flatMap',
  'forEach',
  'includes',
  'indexOf',
  'map',
  'reduce',
  'slice',
  'some',
  'sort',
  'toSorted',
] as const;

/** What has a size: text, bytes, a list. */
interface Sized {
  readonly length: number;
}

/** What one use of a function costs. */
type Cost = (self: Sized, args: readonly Sized[], result: Sized) => number;

const ofSelf: Cost = (self) => self.length;
const ofFirst: Cost = (_, args) => args[0]?.length ?? 0;
const ofResult: Cost = (_, __, result) => result.length;

/**
 * Runs `work`, and gives how many characters, bytes and elements of lists the built-in functions went over meanwhile:
 * those by which a reader could handle again and again what it has read already.
 */
export async function countedWork(work: () => Promise<unknown>): Promise<number> {
  let total = 0;
  const undo: (() => void)[] = [];
  const count = (owner: object, name: string | symbol, costOf: Cost) => {
    const original = Reflect.get(owner, name) as (...args: unknown[]) => unknown;
    const counting = function (this: unknown, ...args: unknown[]) {
      const result = Reflect.apply(original, this, args);
      total += costOf(this as Sized, args as Sized[], result as Sized);
      return result;
    };
    Reflect.set(owner, name, counting);
    undo.push(() => Reflect.set(owner, name, original));
  };
  for (const name of OVER_TEXT) count(String.prototype, name, ofSelf);
  for (const name of OVER_LIST) count(Array.prototype, name, ofSelf);
  count(String.prototype, 'slice', ofResult);
  count(Array.prototype, 'join', ofResult);
  count(JSON, 'stringify', ofResult);
  count(JSON, 'parse', ofFirst);
  count(TextDecoder.prototype, 'decode', (_, __, text) => text.length);
  count(Buffer, 'concat', ofResult);
  try {
    await work();
  } finally {
    for (const restore of undo) restore();
  }
  return total;
}
