const LONE_SURROGATE = /\p{Surrogate}/u;
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** The same JSON value with each half of a broken surrogate pair replaced by U+FFFD; the value itself where none is. */
export function wellFormed<T>(value: T): T {
  return repaired(value) as T;
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return LONE_SURROGATE.test(value) ? value.replace(LONE_SURROGATES, '\ufffd') : value;
  if (Array.isArray(value)) return repairedList(value);
  if (typeof value === 'object' && value !== null) return repairedObject(value);
  return value;
}

function repairedList(list: readonly unknown[]): readonly unknown[] {
  const items = list.map(repaired);
  return items.some((item, index) => item !== list[index]) ? items : list;
}

function repairedObject(object: object): object {
  const entries = Object.entries(object);
  const changed = entries.map(([key, value]) => [repaired(key) as string, repaired(value)] as const);
  const isSame = changed.every(([key, value], index) => key === entries[index]?.[0] && value === entries[index]?.[1]);
  return isSame ? object : Object.fromEntries(changed);
}
