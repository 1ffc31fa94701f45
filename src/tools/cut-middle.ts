import { Buffer } from 'node:buffer';

/** Bytes that a well-formed text has inside a JSON string, without its quotes. */
function jsonTextBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/**
 * A text in at most `maxBytes` bytes inside a JSON string: as it is, or its head and tail around a notice with the full size.
 * Never cuts inside a character. `maxBytes` must be at least 128, so that the notice fits.
 */
export function cutMiddle(text: string, maxBytes: number): string {
  // Each UTF-16 unit takes at least one byte, so most long texts are never measured.
  if (text.length <= maxBytes && jsonTextBytes(text) <= maxBytes) return text;
  const total = Buffer.byteLength(text);
  // The widest notice that can come out keeps the sum under the cap.
  const room = maxBytes - jsonTextBytes(middleNotice(total, total));
  const head = headWithin(text, Math.floor(room / 2));
  const tail = tailWithin(text.slice(head.length), room - jsonTextBytes(head));
  return `${head}${middleNotice(total, total - Buffer.byteLength(head) - Buffer.byteLength(tail))}${tail}`;
}

/** The beginning of a text that was not read to its end, in at most `maxBytes`, and a notice that more was there. */
export function cutEnd(text: string, maxBytes: number): string {
  const notice = ` … [cut: more than ${grouped(Buffer.byteLength(text))} bytes in all, the rest is omitted]`;
  return `${headWithin(text, maxBytes - jsonTextBytes(notice))}${notice}`;
}

function middleNotice(total: number, omitted: number): string {
  return ` … [cut: ${grouped(total)} bytes in all, ${grouped(omitted)} omitted here] … `;
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ' ');
}

function headWithin(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  while (end < text.length) {
    const code = text.codePointAt(end) ?? 0;
    bytes += escapedBytes(code);
    if (bytes > maxBytes) break;
    end += code > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

function tailWithin(text: string, maxBytes: number): string {
  let bytes = 0;
  let start = text.length;
  while (start > 0) {
    const isPair = start > 1 && (text.codePointAt(start - 2) ?? 0) > 0xffff;
    const next = start - (isPair ? 2 : 1);
    bytes += escapedBytes(text.codePointAt(next) ?? 0);
    if (bytes > maxBytes) break;
    start = next;
  }
  return text.slice(start);
}

/** Bytes of one character as `JSON.stringify` writes it, in UTF-8. */
function escapedBytes(code: number): number {
  if (code === 0x22 || code === 0x5c) return 2;
  if (code < 0x20) return [0x08, 0x09, 0x0a, 0x0c, 0x0d].includes(code) ? 2 : 6;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code > 0xffff ? 4 : 3;
}
