import { Buffer } from 'node:buffer';
import { jsonBytes } from '../protocol/json.ts';
import type { ResultContent, TextBlock } from '../protocol/messages.ts';
import { blockOf, omittedNote, ToolContent } from './content.ts';
import { cutEnd, cutMiddle } from './cut-middle.ts';
import { toPlain } from './plain.ts';
import { wellFormed } from './well-formed.ts';

/** Smallest cap of a result: each block must have room for the notice that stands for it. */
export const MIN_RESULT_BYTES = 512;
/** Room that each block of a result is sure to get; with less, later blocks are left out. */
const MIN_BLOCK_BYTES = 256;
/** Bytes of a text block around its text, with the comma after it. */
const TEXT_BLOCK_BYTES = jsonBytes({ type: 'text', text: '' }) + 1;

const NO_OUTPUT: TextBlock = { type: 'text', text: '(no output)' };

/**
 * What a handler returned, as the model will read it: a string as it is, {@link ToolContent} as blocks, any other value as JSON.
 * Never empty, well-formed Unicode, at most `maxBytes` bytes as JSON (at least 512). Never throws, for any value.
 */
export function shapeOutput(value: unknown, maxBytes: number): readonly ResultContent[] {
  const cap = Math.max(maxBytes, MIN_RESULT_BYTES) - 2; // the list's own brackets
  if (value instanceof ToolContent) return shapeBlocks(value.parts.map(blockOf), cap);
  return [value === undefined || value === null ? NO_OUTPUT : shapeValue(value, cap)];
}

function shapeValue(value: unknown, maxBytes: number): TextBlock {
  if (typeof value === 'string') return fitText(value, maxBytes, cutMiddle);
  const { plain, complete } = toPlain(value);
  const text = typeof plain === 'string' ? plain : JSON.stringify(plain);
  return fitText(text, maxBytes, complete ? cutMiddle : cutEnd);
}

function fitText(text: string, maxBytes: number, cut: typeof cutMiddle): TextBlock {
  if (text.trim() === '') return NO_OUTPUT;
  return { type: 'text', text: cut(wellFormed(text), maxBytes - TEXT_BLOCK_BYTES) };
}

function shapeBlocks(all: readonly ResultContent[], maxBytes: number): readonly ResultContent[] {
  const blocks = all.filter((block) => block.type !== 'text' || block.text.trim() !== '');
  if (blocks.length === 0) return [NO_OUTPUT];
  const shown = firstThatFit(blocks, Math.floor(maxBytes / MIN_BLOCK_BYTES));
  const shares = fairShares(
    shown.map((block) => jsonBytes(block) + 1),
    maxBytes,
  );
  return shown.map((block, index) => fitBlock(block, shares[index] ?? MIN_BLOCK_BYTES));
}

function firstThatFit(blocks: readonly ResultContent[], count: number): readonly ResultContent[] {
  if (blocks.length <= count) return blocks;
  const shown = blocks.slice(0, count - 1);
  return [
    ...shown,
    { type: 'text', text: `[cut: ${blocks.length} blocks in all, ${blocks.length - shown.length} omitted]` },
  ];
}

function fitBlock(block: ResultContent, maxBytes: number): ResultContent {
  if (block.type === 'text') return fitText(block.text, maxBytes, cutMiddle);
  if (jsonBytes(block) < maxBytes) return block;
  const bytes = Buffer.byteLength(block.data, 'base64');
  return omittedNote(block.mediaType, bytes, 'too big for this result');
}

/** Divides `total` so that small ones get what they need and big ones the same share of the rest. */
function fairShares(sizes: readonly number[], total: number): readonly number[] {
  const shares = new Array<number>(sizes.length).fill(0);
  const ascending = sizes.map((size, index) => ({ size, index })).sort((a, b) => a.size - b.size);
  let rest = total;
  ascending.forEach(({ size, index }, rank) => {
    const share = Math.min(size, Math.floor(rest / (sizes.length - rank)));
    shares[index] = share;
    rest -= share;
  });
  return shares;
}
