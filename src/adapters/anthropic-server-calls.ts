import type { WireBlock, WireMessage } from './anthropic-cache-marks.ts';

/**
 * Leaves out server-side calls that can have no result any more. The service finishes such a call only at the end of
 * the conversation (a paused turn, or one that waits for results of client tools); anywhere else an open one, left by
 * a turn that was stopped, makes it refuse every later request.
 */
export function dropUnansweredServerCalls(messages: readonly WireMessage[]): readonly WireMessage[] {
  const answered = new Set(messages.flatMap((message) => message.content).flatMap(answeredId));
  const open = openEnd(messages);
  return messages.map((message, index) => {
    if (message.role !== 'assistant' || index === open) return message;
    const content = message.content.filter((block) => !isServerCall(block) || answered.has(block['id']));
    return content.length === message.content.length ? message : { ...message, content };
  });
}

/** Position of the assistant message whose server-side calls may still be open; -1 where there is none. */
function openEnd(messages: readonly WireMessage[]): number {
  const last = messages.length - 1;
  if (messages[last]?.role === 'assistant') return last;
  const isOnlyResults = messages[last]?.content.every((block) => block.type === 'tool_result') === true;
  return isOnlyResults ? last - 1 : -1;
}

function isServerCall(block: WireBlock): boolean {
  return typeof block.type === 'string' && block.type !== 'tool_use' && block.type.endsWith('_tool_use');
}

function answeredId(block: WireBlock): unknown[] {
  const type = block.type;
  return typeof type === 'string' && type !== 'tool_result' && type.endsWith('_tool_result')
    ? [block['tool_use_id']]
    : [];
}
