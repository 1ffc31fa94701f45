import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { errorLine } from './error-text.ts';
import { ToolError } from './tool.ts';

/** A body, decoded from its transfer. */
export interface Body {
  readonly bytes: Buffer;
  /** There is more of it than was read. */
  readonly cut: boolean;
}

/** Where HTML names its charset: a browser looks no further either. */
const META_BYTES = 1_024;

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Reads at most `maxBytes` of a body, counted after it is unpacked: a small one that unpacks to a huge one costs no more.
 * Throws an error that may be retried when the body breaks off, and {@link ToolError} for an encoding that was not asked for.
 */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let room = maxBytes;
  const unpacked = unpack(response);
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, room));
      if (chunk.length > room) return { bytes: Buffer.concat(chunks), cut: true };
      room -= chunk.length;
    }
  } catch (error) {
    if (!isEmptyArchive(error, unpacked) || !response.complete)
      throw new Error(`The answer broke off (${errorLine(error)}).`, { cause: error });
  }
  return { bytes: Buffer.concat(chunks), cut: false };
}

/** The text of a body: by its byte order mark, else by the charset of its type, else of its HTML, else UTF-8. */
export function decodeText({ bytes, cut }: Body, contentType: string): string {
  const decoder = decoderFor(markedCharset(bytes) ?? charsetIn(contentType) ?? metaCharset(bytes, contentType));
  // A cut may have split a character: the decoder keeps back what is not whole.
  return decoder.decode(bytes, { stream: cut });
}

function unpack(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return response;
  const createDecoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (createDecoder === undefined) throw new ToolError(`The answer is encoded as ${encoding}, which cannot be read.`);
  // An error of either stream also ends the iteration over the last one, which tells it.
  return pipeline(response, createDecoder(), () => undefined);
}

/** Nothing came at all. That is no valid archive, but servers give an empty body the header of all their answers. */
function isEmptyArchive(error: unknown, unpacked: Readable): boolean {
  const endedEarly = error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';
  return endedEarly && 'bytesWritten' in unpacked && unpacked.bytesWritten === 0;
}

function decoderFor(charset = 'utf-8'): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    // Sites name charsets that do not exist. Most of what they send is UTF-8 all the same.
    return new TextDecoder();
  }
}

function markedCharset(bytes: Buffer): string | undefined {
  const mark = bytes.subarray(0, 3).toString('latin1');
  if (mark === '\xef\xbb\xbf') return 'utf-8';
  if (mark.startsWith('\xff\xfe')) return 'utf-16le';
  return mark.startsWith('\xfe\xff') ? 'utf-16be' : undefined;
}

function metaCharset(bytes: Buffer, contentType: string): string | undefined {
  if (!/\bx?html\b/i.test(contentType)) return undefined;
  const head = bytes.subarray(0, META_BYTES).toString('latin1');
  return charsetIn(/<meta[^>]+charset[^>]*>/i.exec(head)?.[0] ?? '');
}

function charsetIn(text: string): string | undefined {
  return /charset\s*=\s*["']?([\w.:-]+)/i.exec(text)?.[1];
}
