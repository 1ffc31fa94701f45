import type { Message, ResultContent } from '../protocol/messages.ts';
import { cutMiddle } from '../tools/cut-middle.ts';

/** One block of a conversation, at first; long results say little more in a summary than their beginning and end. */
const MAX_BLOCK_BYTES = 8_192;
/** Blocks are cut no shorter than this: below, a conversation of many small blocks is cut as a whole. */
const MIN_BLOCK_BYTES = 256;

type Block = Message['content'][number];

/**
 * A conversation as a text that a model can be shown without its tools, in at most `maxBytes`: who said what, which calls
 * were made, and what they gave, each beginning a line, and what follows of it indented. Long blocks are cut in their
 * middle, as hard as it takes; `maxBytes` must be at least 128.
 */
export function conversationText(messages: readonly Message[], maxBytes: number): string {
  for (let blockBytes = MAX_BLOCK_BYTES; ; blockBytes /= 2) {
    const text = messages.map((message) => messageText(message, blockBytes)).join('\n\n');
    const fitting = cutMiddle(text, maxBytes);
    if (fitting === text || blockBytes <= MIN_BLOCK_BYTES) return fitting;
  }
}

function messageText(message: Message, maxBytes: number): string {
  const lines = message.content.map((block) => blockText(block, message.role));
  return lines.flatMap((line) => (line === undefined ? [] : [cutMiddle(indented(line), maxBytes)])).join('\n');
}

/** Only a record of ours begins at the start of a line, so that no result can pass for words of the user. */
function indented(text: string): string {
  return text.replace(/\r\n|[\n\r\u2028\u2029]/g, '\n  ');
}

/** Undefined for what only its own provider can read. */
function blockText(block: Block, role: Message['role']): string | undefined {
  switch (block.type) {
    case 'text':
      return `${role}: ${block.text}`;
    case 'image':
    case 'document':
      return `${role}: ${mediaText(block)}`;
    case 'call':
      return `call ${block.callId} of ${block.name}: ${JSON.stringify(block.input)}`;
    case 'result':
      return `${block.isError ? 'error' : 'result'} of call ${block.callId}: ${block.content.map(mediaText).join('\n')}`;
    case 'opaque':
      return undefined;
  }
}

function mediaText(block: ResultContent): string {
  return block.type === 'text' ? block.text : `[${block.type}, ${block.mediaType}]`;
}
