// The rules that every conversation keeps, checked in plain code, so that client and workflow can both do it.

import { type CallBlock, callsOf, type Message, type Prompt, type UserMessage } from './messages.ts';

/**
 * The first fault of a conversation, with its position, or undefined where there is none. The rules: each call is
 * answered exactly once, in the very next message, before any other block there; call ids are distinct; nothing is empty.
 */
export function messagesProblem(messages: readonly Message[]): string | undefined {
  const seen = new Set<string>();
  let open: readonly CallBlock[] = [];
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`;
    const problem = shapeProblem(message) ?? pairingProblem(message, open);
    if (problem) return `${at}: ${problem}`;
    open = message.role === 'assistant' ? callsOf(message) : [];
    const double = open.find((call) => seen.has(call.callId) || !seen.add(call.callId));
    if (double) return `${at}: call id ${double.callId} is used twice`;
  }
  const unanswered = open[0];
  return unanswered && `messages[${messages.length - 1}]: call ${unanswered.callId} has no result`;
}

/** What is wrong with a prompt, or undefined. */
export function promptProblem(prompt: Prompt): string | undefined {
  if (typeof prompt === 'string') return prompt.trim() === '' ? 'the prompt is empty' : undefined;
  if (!Array.isArray(prompt)) return 'the prompt must be text or a list of blocks';
  if (prompt.length === 0) return 'the prompt is empty';
  for (const [index, block] of prompt.entries()) {
    const problem = USER_BLOCKS.has(block?.type) ? blockProblem(block) : `unknown block type ${String(block?.type)}`;
    if (problem) return `prompt[${index}]: ${problem}`;
  }
  return undefined;
}

const USER_BLOCKS = new Set<unknown>(['text', 'image', 'document']);
const BLOCKS: Readonly<Record<Message['role'], ReadonlySet<unknown>>> = {
  user: new Set([...USER_BLOCKS, 'result', 'opaque']),
  assistant: new Set([...USER_BLOCKS, 'call', 'opaque']),
};

function shapeProblem(message: Message): string | undefined {
  const allowed = BLOCKS[message?.role];
  if (!allowed) return `role must be user or assistant, not ${String(message?.role)}`;
  if (!Array.isArray(message.content) || message.content.length === 0)
    return 'content must be a list of blocks, not empty';
  for (const [index, block] of message.content.entries()) {
    const problem = allowed.has(block?.type)
      ? blockProblem(block)
      : `a ${message.role} message has no ${block?.type} block`;
    if (problem) return `content[${index}]: ${problem}`;
  }
  return undefined;
}

function blockProblem(block: Message['content'][number]): string | undefined {
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' && block.text !== '' ? undefined : 'text is empty';
    case 'image':
    case 'document':
      return block.mediaType && block.data ? undefined : `${block.type} needs mediaType and data`;
    case 'call':
      if (!block.callId || !block.name) return 'call needs callId and name';
      return isObject(block.input) ? undefined : 'input of a call must be a JSON object';
    case 'result':
      return block.callId && block.content?.length > 0 ? undefined : 'result needs callId and content';
    case 'opaque':
      return block.provider ? undefined : 'opaque block needs its provider';
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pairingProblem(message: Message, open: readonly CallBlock[]): string | undefined {
  if (message.role === 'assistant') {
    return open[0] && `call ${open[0].callId} has no result before the next assistant message`;
  }
  return resultsProblem(message, open);
}

function resultsProblem(message: UserMessage, open: readonly CallBlock[]): string | undefined {
  const waiting = new Set(open.map((call) => call.callId));
  let othersSeen = false;
  for (const block of message.content) {
    if (block.type !== 'result') othersSeen = true;
    else if (othersSeen) return `result ${block.callId} must stand before every other block`;
    else if (!waiting.delete(block.callId)) return `result ${block.callId} answers no open call`;
  }
  const [left] = waiting;
  return left && `call ${left} has no result`;
}
