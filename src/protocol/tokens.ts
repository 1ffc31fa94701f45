// How many tokens a message takes, before a provider has counted it.

import { assertNever } from './json.ts';
import type { DocumentBlock, Message } from './messages.ts';

/** English text and JSON have about four characters a token on every current model; other scripts have fewer. */
export const CHARS_PER_TOKEN = 4;
/** What stands around a block on the wire: its type, roles, ids. */
const CHARS_PER_BLOCK = 40;
/** What providers count for a picture of the usual size: https://platform.claude.com/docs/en/build-with-claude/vision */
const IMAGE_CHARS = 1_600 * CHARS_PER_TOKEN;
/** A page of a PDF takes about 2,000 tokens and 60 KB of base64. */
const PDF_CHARS_PER_TOKEN = 30;

type Block = Message['content'][number];

/** An estimate of a message's tokens. Images and PDF count by what they show, and not by their bytes. */
export function estimateTokens({ content }: Message): number {
  return Math.ceil(charsOf(content) / CHARS_PER_TOKEN);
}

function charsOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + CHARS_PER_BLOCK + charsIn(block), 0);
}

function charsIn(block: Block): number {
  switch (block.type) {
    case 'text':
      return block.text.length;
    case 'image':
      return IMAGE_CHARS;
    case 'document':
      return documentChars(block);
    case 'call':
      return block.name.length + JSON.stringify(block.input).length;
    case 'result':
      return charsOf(block.content);
    case 'opaque':
      return JSON.stringify(block.value).length;
    default:
      return assertNever(block);
  }
}

function documentChars({ mediaType, data }: DocumentBlock): number {
  return mediaType.startsWith('text/') ? data.length : (data.length / PDF_CHARS_PER_TOKEN) * CHARS_PER_TOKEN;
}
