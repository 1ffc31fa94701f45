// Text of models and tools is not to be trusted: an escape sequence could rewrite what the reader sees, or worse.

const DELETE = 0x7f;
const CONTROL_PICTURES = 0x2400;
const DELETE_PICTURE = '\u2421';

// C0, DEL and C1; line separators; and the marks with which text can be shown in another order than it has.
const UNSAFE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** The text with every control character made visible, so that none reaches the terminal. Keeps tabs and line ends. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSAFE, neutral);
}

/** A value as JSON that a terminal, too, can be trusted with: what JSON lets stand unescaped is escaped as well. */
export function printableJson(value: unknown, indent?: number): string {
  const escaped = (character: string): string => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  // The line ends of an indented text are the only control characters that stand outside of its strings.
  return JSON.stringify(value, null, indent).replace(UNSAFE, (found) => (found === '\n' ? found : escaped(found)));
}

/** The text on one line, white space pressed together, cut to `columns` characters; `…` marks the cut. */
export function oneLine(text: string, columns: number): string {
  // A cut before the work keeps a megabyte of output from being scanned for the sake of one line.
  const pressed = printable(
    text
      .slice(0, columns * 4)
      .replace(/\s+/g, ' ')
      .trim(),
  );
  const characters = [...pressed];
  if (characters.length <= columns && text.length <= columns * 4) return pressed;
  return `${characters.slice(0, Math.max(columns - 1, 0)).join('')}…`;
}

function neutral(character: string): string {
  if (character === '\n' || character === '\t') return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(CONTROL_PICTURES + code);
  if (code === DELETE) return DELETE_PICTURE;
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
