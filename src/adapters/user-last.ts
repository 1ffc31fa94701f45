import type { Message, UserMessage } from '../protocol/messages.ts';

const GO_ON: UserMessage = { role: 'user', content: [{ type: 'text', text: 'Go on.' }] };

/** The conversation with the user's word at its end: a turn that paused on another wire has none, and few services take that. */
export function withUserLast(messages: readonly Message[]): readonly Message[] {
  return messages.at(-1)?.role === 'assistant' ? [...messages, GO_ON] : messages;
}
