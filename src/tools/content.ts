import { Buffer } from 'node:buffer';
import type { IMAGE_MEDIA_TYPES, ResultContent } from '../protocol/messages.ts';
import { wellFormed } from './well-formed.ts';

/** Longest base64 of one image that the providers take. */
const MAX_IMAGE_BASE64_CHARS = 5_242_880;

type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly bytes: Uint8Array }
  | { readonly type: 'pdf'; readonly bytes: Uint8Array; readonly title: string | undefined };

/** A result in blocks. A handler makes one with {@link content}, {@link image} or {@link pdf}, and returns it. */
export class ToolContent {
  readonly parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.parts = parts;
  }
}

/** Texts, images and documents in one result, in order: `content('a square', image('image/png', bytes))`. */
export function content(...parts: readonly (string | ToolContent)[]): ToolContent {
  return new ToolContent(
    parts.flatMap((part) => (typeof part === 'string' ? { type: 'text', text: part } : part.parts)),
  );
}

/**
 * An image. PNG, JPEG, GIF and WebP reach the model, as the type that the bytes have; for anything else, or an image that is
 * too big for the provider or for the tool's `maxResultBytes`, the model reads a note instead.
 */
export function image(mediaType: string, bytes: Uint8Array): ToolContent {
  return new ToolContent([{ type: 'image', mediaType, bytes }]);
}

/** A PDF document. Where it is none, or too big for the tool's `maxResultBytes`, the model reads a note instead. */
export function pdf(bytes: Uint8Array, title?: string): ToolContent {
  return new ToolContent([{ type: 'pdf', bytes, title }]);
}

/** A part as a block that every provider takes, or a text that says why it cannot be shown. */
export function blockOf(part: Part): ResultContent {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return imageBlock(part.mediaType, part.bytes);
    case 'pdf':
      return pdfBlock(part.bytes, part.title);
  }
}

/** The text that stands for a block which cannot be shown. */
export function omittedNote(kind: string, bytes: number, why: string): ResultContent {
  // A declared type is the handler's own text: it must not grow when it is written as JSON.
  const plainKind = kind.slice(0, 60).replace(/[^\w/+.-]/g, '?');
  return { type: 'text', text: `[${plainKind}, ${bytes} bytes, omitted: ${why}]` };
}

function imageBlock(declared: string, bytes: Uint8Array): ResultContent {
  const mediaType = imageTypeOf(bytes);
  if (mediaType === undefined) {
    return omittedNote(declared, bytes.byteLength, 'not a PNG, JPEG, GIF or WebP image');
  }
  if (Math.ceil(bytes.byteLength / 3) * 4 > MAX_IMAGE_BASE64_CHARS) {
    return omittedNote(mediaType, bytes.byteLength, `over ${MAX_IMAGE_BASE64_CHARS} characters of base64`);
  }
  return { type: 'image', mediaType, data: base64(bytes) };
}

function pdfBlock(bytes: Uint8Array, title: string | undefined): ResultContent {
  if (latin1(bytes, 0, 5) !== '%PDF-') return omittedNote('application/pdf', bytes.byteLength, 'not a PDF document');
  return {
    type: 'document',
    mediaType: 'application/pdf',
    data: base64(bytes),
    ...(title && { title: wellFormed(title) }),
  };
}

/** The type that the first bytes tell, whatever was declared: a provider refuses an image whose label is wrong. */
function imageTypeOf(bytes: Uint8Array): (typeof IMAGE_MEDIA_TYPES)[number] | undefined {
  if (latin1(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (latin1(bytes, 0, 3) === '\xff\xd8\xff') return 'image/jpeg';
  if (/^GIF8[79]a$/.test(latin1(bytes, 0, 6))) return 'image/gif';
  if (latin1(bytes, 0, 4) === 'RIFF' && latin1(bytes, 8, 12) === 'WEBP') return 'image/webp';
  return undefined;
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.subarray(start, end)).toString('latin1');
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
