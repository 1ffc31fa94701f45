import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { content, image, pdf, type ToolContent } from './content.ts';
import { type Body, decodeText, readBody } from './http-body.ts';
import { isFinalStatus } from './http-status.ts';
import { shown } from './http-target.ts';
import { ToolError } from './tool.ts';

/** Of the body of an error: enough for its message. */
const MAX_ERROR_BODY_BYTES = 1_024;
/** Stands for the type of a body that has none. */
const UNDECLARED = 'unknown type';
/** Types outside `text/` that people read. */
const READABLE =
  /^(?:text\/.+|.+\/(?:.+\+)?(?:json|xml|yaml)|application\/(?:x-yaml|toml|javascript|x-ndjson|x-www-form-urlencoded))$/;

/**
 * The answer as the model reads it: a line about it, then texts as text, images and PDF as blocks, a note for the rest.
 * Throws {@link ToolError} for 3xx and 4xx, and an error that may be retried for what may pass: 5xx, 408, 425 and 429.
 */
export async function answerContent(url: URL, response: IncomingMessage, maxBytes: number): Promise<ToolContent> {
  const status = response.statusCode ?? 0;
  if (status < 200 || status > 299) throw await statusError(url, response, status);
  const declared = declaredType(response);
  const body = await readBody(response, maxBytes);
  const { length } = body.bytes;
  const size = body.cut ? `cut: only the first ${length} bytes were read` : `${length} bytes`;
  return content(`${shown(url.href)} (HTTP ${status}, ${declared}, ${size})`, shownBody(body, declared));
}

function shownBody(body: Body, declared: string): string | ToolContent {
  const type = essence(declared);
  if (body.bytes.length === 0) return '[empty]';
  if (isReadable(body, type)) return decodeText(body, declared);
  if (body.cut) return `[${type}, omitted: more than ${body.bytes.length} bytes]`;
  if (type.startsWith('image/')) return image(type, body.bytes);
  if (type === 'application/pdf') return pdf(body.bytes);
  return `[${type}, ${body.bytes.length} bytes, omitted: neither text nor an image]`;
}

async function statusError(url: URL, response: IncomingMessage, status: number): Promise<Error> {
  const declared = declaredType(response);
  const body = await readBody(response, MAX_ERROR_BODY_BYTES);
  const text = isReadable(body, essence(declared)) ? decodeText(body, declared).trim() : '';
  const told = `${shown(url.href)} answered with HTTP ${status}: ${text || '(no text)'}`;
  return isFinalStatus(status) ? new ToolError(told) : new Error(told);
}

function isReadable({ bytes }: Body, type: string): boolean {
  if (type !== UNDECLARED) return READABLE.test(type);
  return isUtf8(bytes) && !bytes.includes(0);
}

function declaredType(response: IncomingMessage): string {
  return response.headers['content-type'] ?? UNDECLARED;
}

/** A content type without its parameters. */
function essence(declared: string): string {
  return declared.replace(/;.*/s, '').trim().toLowerCase();
}
