import { LRUCache } from 'lru-cache';
import { jsonBytes } from '../protocol/json.ts';
import type { Message } from '../protocol/messages.ts';
import type { ContextHead } from '../protocol/snapshot.ts';
import { CHARS_PER_TOKEN, estimateTokens } from '../protocol/tokens.ts';
import { digestAfter, headDigest } from './digest.ts';

/** A context in a worker's memory. Immutable: a longer one shares its message objects and leaves it as it is. */
export interface CachedContext {
  readonly digest: string;
  readonly head: ContextHead;
  readonly messages: readonly Message[];
  /** Size as JSON, in bytes. */
  readonly bytes: number;
  /** An estimate. */
  readonly tokens: number;
  /** Digest of the context that this one was kept after; see {@link ContextCache.advance}. */
  readonly parent?: string;
}

/** The context before its first message. */
export function emptyContext(head: ContextHead): CachedContext {
  const bytes = jsonBytes(head);
  return { digest: headDigest(head), head, messages: [], bytes, tokens: Math.ceil(bytes / CHARS_PER_TOKEN) };
}

/** The beginning of the context that takes the place of another one, and names it. */
export function emptyAfter({ digest }: CachedContext, head: ContextHead): CachedContext {
  return emptyContext({ ...head, parent: digest });
}

/** A context with more messages; the same one where there are none. */
export function extendContext(base: CachedContext, messages: readonly Message[]): CachedContext {
  if (messages.length === 0) return base;
  return {
    digest: digestAfter(base.digest, messages),
    head: base.head,
    messages: [...base.messages, ...messages],
    bytes: base.bytes + jsonBytes(messages),
    tokens: messages.reduce((sum, message) => sum + estimateTokens(message), base.tokens),
  };
}

/** Contexts by digest, bounded in bytes; what was used longest ago goes first. A size of 0 keeps nothing. */
export class ContextCache {
  readonly #entries: LRUCache<string, CachedContext> | undefined;

  constructor(maxBytes: number) {
    if (maxBytes > 0) {
      this.#entries = new LRUCache({ maxSize: maxBytes, sizeCalculation: (context) => Math.max(1, context.bytes) });
    }
  }

  get(digest: string): CachedContext | undefined {
    return this.#entries?.get(digest);
  }

  /** Keeps a context. One that is larger than the whole cache is not kept. */
  set(context: CachedContext): void {
    this.#entries?.set(context.digest, context);
  }

  /**
   * Keeps what was made from `base`, and lets go of what `base` itself was made from: a second attempt may still need
   * `base`, but nothing older. Empty contexts stay, since the runs of an agent share them.
   */
  advance(base: CachedContext, next: CachedContext): void {
    if (next.digest === base.digest) return;
    this.set({ ...next, parent: base.digest });
    const grandparent = base.parent === undefined ? undefined : this.#entries?.peek(base.parent);
    if (grandparent && grandparent.messages.length > 0) this.#entries?.delete(grandparent.digest);
  }
}
