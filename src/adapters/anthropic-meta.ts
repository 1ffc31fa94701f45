import type { AssistantMessage, JsonObject, Message } from '../protocol/messages.ts';
import { isObject } from './answer-faults.ts';
import { ANTHROPIC } from './anthropic-request.ts';

/** What the last answer says beside its content. Messages may come from anyone who can start a run: it may be anything. */
export function lastMeta(messages: readonly Message[]): JsonObject {
  const last = messages.findLast((message) => message.role === 'assistant');
  return last?.role === 'assistant' ? metaOf(last) : {};
}

/** The answer, saying more. */
export function withMeta(message: AssistantMessage, more: JsonObject): AssistantMessage {
  return { ...message, meta: { ...message.meta, [ANTHROPIC]: { ...metaOf(message), ...more } } };
}

function metaOf({ meta }: AssistantMessage): JsonObject {
  const own = meta?.[ANTHROPIC];
  return isObject(own) ? own : {};
}
