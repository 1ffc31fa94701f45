import type { ChangeHeadInput, ContextRef } from '../protocol/activities.ts';
import { type ContextCache, emptyAfter, extendContext } from './context-cache.ts';
import { loadContext } from './load-context.ts';

/** Puts a context's messages behind another head, which names the old context as its parent; the cache then has both. */
export function createChangeHead({
  cache,
}: {
  readonly cache: ContextCache;
}): (input: ChangeHeadInput) => Promise<Pick<ContextRef, 'digest'>> {
  return async ({ base, head }) => {
    const before = await loadContext(cache, base);
    const after = extendContext(emptyAfter(before, head), before.messages);
    cache.set(after);
    return { digest: after.digest };
  };
}
