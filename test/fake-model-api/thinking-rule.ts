import { isDeepStrictEqual } from 'node:util';
import { blocksOf, type StrictRule, type WireBlock, type WireMessage } from './wire.ts';

const CALLS = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use']);

/**
 * Rule 9: thinking in the current tool loop is exactly what the fake has sent, in the same place.
 *
 * Every assistant message of the loop must be made of answers that were sent: block types in the same order (empty text
 * left out), thinking deep-equal. A message without thinking that has no call of an answer with thinking is the client's
 * own and is let through.
 */
export const thinkingIsUnchanged: StrictRule = ({ messages }, { sent }) => {
  const answers = sent.map(withoutEmptyText).filter((content) => content.length > 0);
  const loop = currentLoop(messages);
  if (![...answers, ...loop].some((blocks) => blocks.some(isThinking))) return undefined;
  const wholes = new Set(answers.map(outline)); // the usual case: one message is one whole answer
  for (const blocks of loop) {
    if (wholes.has(outline(blocks)) || isMadeOf(blocks, answers) || isTheClientsOwn(blocks, answers)) continue;
    return 'messages: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified';
  }
  return undefined;
};

function withoutEmptyText(content: readonly WireBlock[]): readonly WireBlock[] {
  return content.filter((block) => block.type !== 'text' || block.text !== '');
}

/** Contents of the assistant messages after the last user message that is more than results. */
function currentLoop(messages: readonly WireMessage[]): readonly (readonly WireBlock[])[] {
  const start = messages.findLastIndex(
    ({ role, content }) => role === 'user' && blocksOf(content).every((block) => block.type !== 'tool_result'),
  );
  const loop = messages.slice(start + 1).filter((message) => message.role === 'assistant');
  return loop.map((message) => withoutEmptyText(blocksOf(message.content)));
}

function outline(blocks: readonly WireBlock[]): string {
  return blocks.map((block) => (isThinking(block) ? JSON.stringify(block) : block.type)).join(' ');
}

function isMadeOf(blocks: readonly WireBlock[], answers: readonly (readonly WireBlock[])[]): boolean {
  if (blocks.length === 0) return true;
  return answers.some((answer) => {
    const part = blocks.slice(0, answer.length);
    // The last answer may be there in part: a client may leave out what was cut at its end.
    return part.every((block, at) => isSame(block, answer[at])) && isMadeOf(blocks.slice(answer.length), answers);
  });
}

function isSame(block: WireBlock, sent: WireBlock | undefined): boolean {
  return isThinking(block) ? isDeepStrictEqual(block, sent) : block.type === sent?.type;
}

function isTheClientsOwn(blocks: readonly WireBlock[], answers: readonly (readonly WireBlock[])[]): boolean {
  if (blocks.some(isThinking)) return false;
  const bound = new Set(answers.filter((answer) => answer.some(isThinking)).flatMap(callIds));
  return !callIds(blocks).some((id) => bound.has(id));
}

function callIds(blocks: readonly WireBlock[]): readonly unknown[] {
  return blocks.filter((block) => CALLS.has(block.type)).map((block) => block.id);
}

function isThinking(block: WireBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}
