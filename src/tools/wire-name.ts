import { createHash } from 'node:crypto';

/** Longest name that every supported provider takes. */
const MAX_LENGTH = 64;
/** Hex digits that keep made names apart: two of a thousand names meet once in ten thousand workers. */
const HASH_LENGTH = 8;
const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * The name that goes over the wire: a legal one stays as it is, any other becomes its legal part and a hash of the whole,
 * always the same. Never `default` or `__temporal…`, which mean something else to Temporal as activity types.
 */
export function toWireName(name: string): string {
  const reserved = name === 'default' || name.startsWith('__temporal');
  return LEGAL.test(name) && !reserved ? name : madeName(name, name);
}

/** Wire names of distinct names, themselves distinct. A made name that meets another one gets another hash. */
export function toWireNames(names: readonly string[]): ReadonlyMap<string, string> {
  const wireNames = new Map(names.map((name) => [name, toWireName(name)]));
  const made = names.filter((name) => wireNames.get(name) !== name).sort();
  const taken = new Set(names.filter((name) => wireNames.get(name) === name));
  for (const name of made) {
    let wireName = toWireName(name);
    for (let salt = 1; taken.has(wireName); salt++) wireName = madeName(name, `${name}\n${salt}`);
    taken.add(wireName);
    wireNames.set(name, wireName);
  }
  return wireNames;
}

function madeName(name: string, hashed: string): string {
  const hash = createHash('sha256').update(hashed).digest('hex').slice(0, HASH_LENGTH);
  const legal = name.replace(/[^a-zA-Z0-9_-]+/g, '_').replace(/^_+/, '');
  const head = legal.slice(0, MAX_LENGTH - HASH_LENGTH - 1);
  return `${head === '' ? 'tool' : head}_${hash}`;
}
