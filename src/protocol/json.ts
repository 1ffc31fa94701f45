/** Number of bytes that a text has in UTF-8. Pure, so that workflow code may use it. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(i + 1))) {
      bytes += 2; // four bytes for the two units of a pair
      i++;
    } else bytes += 2;
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Size in bytes of a value as JSON in UTF-8, which is the size of its payload. `undefined` counts as nothing. */
export function jsonBytes(value: unknown): number {
  const text = JSON.stringify(value);
  return text === undefined ? 0 : utf8Bytes(text);
}

/** A text cut to at most `maxBytes` of UTF-8, never inside a character; `…` marks the cut. */
export function cutText(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || utf8Bytes(text) <= maxBytes) return text;
  const room = maxBytes - 3; // the mark itself has three bytes
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += utf8Bytes(character);
    if (bytes > room) break;
    end += character.length;
  }
  return `${text.slice(0, end)}…`;
}

/** Ends an exhaustive `switch`: a new member of the union fails to compile here, and an unknown value throws. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
