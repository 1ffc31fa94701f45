// Models that take thinking back only behind the words after which they wrote it ("preserved thinking"):
// https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks

import type { IncomingHttpHeaders } from 'node:http';
import type { MessageAnswer } from './answers.ts';
import { blocksOf, isObject, messagesOf, type WireBlock } from './wire.ts';

const BETA = 'thinking-binding-controls-2026-08-01';

/** What stood before each block of thinking when it was written. */
export class BoundThinking {
  readonly #prefixes = new Map<string, string>();

  /** An answer to a request has left. */
  answered(body: unknown, { content }: MessageAnswer): void {
    const prefix = prefixOf(body, messagesOf(body).length);
    for (const block of content.filter(isThinking)) this.#prefixes.set(JSON.stringify(block), prefix);
  }

  /** The complaint about a request, or undefined. */
  complaintAbout(body: unknown, headers: IncomingHttpHeaders): string | undefined {
    const binding = isObject(body) && isObject(body['thinking']) ? body['thinking']['block_binding'] : undefined;
    const hasBeta = String(headers['anthropic-beta'] ?? '').includes(BETA);
    if (binding !== undefined && !hasBeta) return 'thinking.block_binding: Extra inputs are not permitted';
    if (isObject(binding) && binding['prefix_mismatch_behavior'] === 'drop_block') return undefined;
    for (const [at, { content }] of messagesOf(body).entries()) {
      const unbound = blocksOf(content).findIndex((block) => isThinking(block) && !this.#isBound(block, body, at));
      if (unbound >= 0) return refusal(at, unbound);
    }
    return undefined;
  }

  #isBound(block: WireBlock, body: unknown, at: number): boolean {
    const prefix = this.#prefixes.get(JSON.stringify(block));
    return prefix === undefined || prefix === prefixOf(body, at);
  }
}

function refusal(message: number, block: number): string {
  return (
    `messages.${message}.content.${block}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different ` +
    'conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
  );
}

/** Marks for the cache do not count. */
function prefixOf(body: unknown, messages: number): string {
  const { system, tools } = Object(body) as { system?: unknown; tools?: unknown };
  const prefix = [system, tools, messagesOf(body).slice(0, messages)];
  return JSON.stringify(prefix, (key, value: unknown) => (key === 'cache_control' ? undefined : value));
}

function isThinking({ type }: WireBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}
