import type { MessageAnswer, SseAnswer, SseEvent } from './answers.ts';
import { eventsOf } from './sse.ts';
import type { WireBlock, WireMessage, WireRequest } from './wire.ts';

/** What a block of thinking is said to have taken of an answer's ten output tokens. */
const THINKING_TOKENS = 4;

/** A text block. */
export function text(words: string): WireBlock {
  return { type: 'text', text: words };
}

/** A call of a tool. */
export function call(id: string, input: unknown = {}, name = 'look'): WireBlock {
  return { type: 'tool_use', id, name, input };
}

/** The result of a call. */
export function result(id: string, content: unknown = 'ok'): WireBlock {
  return { type: 'tool_result', tool_use_id: id, content };
}

/** A thinking block with its signature. */
export function thinking(words: string): WireBlock {
  return { type: 'thinking', thinking: words, signature: `signed:${words}` };
}

/** A user message. */
export function user(...content: readonly WireBlock[]): WireMessage {
  return { role: 'user', content };
}

/** An assistant message. */
export function assistant(...content: readonly WireBlock[]): WireMessage {
  return { role: 'assistant', content };
}

/** A request with these messages. */
export function requestOf(...messages: readonly WireMessage[]): WireRequest {
  return { model: 'claude-fake-1', max_tokens: 1_000, messages };
}

/** A whole answer with this content; its stop reason fits the content. */
export function answer(...content: readonly WireBlock[]): MessageAnswer {
  const stop_reason = content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
  const thinking_tokens = content.filter((block) => block.type === 'thinking').length * THINKING_TOKENS;
  const usage = { input_tokens: 20, output_tokens: 10, output_tokens_details: { thinking_tokens } };
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-fake-1',
    content,
    stop_reason,
    stop_sequence: null,
    usage,
  };
}

/** The first events of an answer's stream, without its last `missing` events. */
export function cutStream(whole: MessageAnswer, missing: number, end: SseAnswer['end']): SseAnswer {
  const events: readonly SseEvent[] = eventsOf(whole);
  return { sse_events: events.slice(0, events.length - missing), end };
}
