// Thinking that its model takes back only behind the words after which it was written ("preserved thinking"). A context
// that was summarised, or an agent that was deployed anew, has other words there:
// https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/fix-bound-to-a-different-conversation

import type { Message } from '../protocol/messages.ts';
import type { WireBlock, WireMessage } from './anthropic-cache-marks.ts';
import { lastMeta, withMeta } from './anthropic-meta.ts';
import type { WireRequest } from './anthropic-request.ts';
import type { ModelEvent } from './model-adapter.ts';

const BETA = 'thinking-binding-controls-2026-08-01';
/** How the service refuses it. Which models check, and what they count as a change, is theirs alone to know. */
const REFUSAL = /bound to a different conversation|prefix_mismatch_behavior/;
const THINKING = new Set<unknown>(['thinking', 'redacted_thinking']);

type Meta = Readonly<Record<string, unknown>>;

/** Whether a request was refused for thinking that stands behind other words than before. */
export function isUnboundThinking(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 400 && REFUSAL.test(error.message);
}

/** Whether the last answer was got in spite of such thinking: it still stands in the conversation. */
export function dropsThinking(messages: readonly Message[]): boolean {
  return lastMeta(messages)['dropsThinking'] === true;
}

/** The request, with the wish that the service leaves out the thinking that no longer fits. */
export function droppingThinking<T extends WireRequest>(request: T): T {
  const { thinking, betas } = request as { readonly thinking?: Meta; readonly betas?: unknown };
  if (thinking?.['type'] === 'disabled') return { ...request, messages: request.messages.map(withoutThinking) };
  const binding = { ...Object(thinking?.['block_binding']), prefix_mismatch_behavior: 'drop_block' };
  return {
    ...request,
    thinking: { type: 'adaptive', ...thinking, block_binding: binding },
    betas: [...(Array.isArray(betas) ? betas : []), BETA],
  };
}

/** The same event; a finished answer says that thinking was left out for it. */
export function withDroppedThinking(said: ModelEvent): ModelEvent {
  return said.type === 'finished' ? { ...said, message: withMeta(said.message, { dropsThinking: true }) } : said;
}

/** Where thinking is off, the service takes no setting for it, and no thinking either. */
function withoutThinking(message: WireMessage): WireMessage {
  const content = message.content.filter((block: WireBlock) => !THINKING.has(block.type));
  return content.length > 0 ? { ...message, content } : message;
}
