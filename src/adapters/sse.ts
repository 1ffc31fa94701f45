/** One server-sent event: its name, where it has one, and its data lines joined by `\n`. */
export interface SentEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** The event that stands for a comment: a sign of life without content. */
const COMMENT: SentEvent = { event: 'comment', data: '' };

/**
 * The events in a stream of bytes, which may be cut anywhere. An event that the end of the stream cuts is left out, as
 * the standard asks. Work is linear in the bytes. Whoever stops reading cancels the stream.
 */
export async function* sentEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<SentEvent> {
  let event: string | undefined;
  let data: string[] = [];
  for await (const line of linesOf(body)) {
    if (line !== '') {
      const [field, value] = fieldOf(line);
      if (field === '') yield COMMENT;
      if (field === 'event') event = value;
      if (field === 'data') data.push(value);
      continue;
    }
    if (event !== undefined || data.length > 0) yield { event, data: data.join('\n') };
    event = undefined;
    data = [];
  }
}

/** Of a comment the field's name is empty. */
function fieldOf(line: string): readonly [field: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  const start = line[colon + 1] === ' ' ? colon + 2 : colon + 1;
  return [line.slice(0, colon), line.slice(start)];
}

/** Whole lines, without their ends. Only new text is searched, so that a long line in many pieces stays cheap. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  let endedInCr = false;
  for await (const bytes of body) {
    const decoded = decoder.decode(bytes, { stream: true });
    if (decoded === '') continue;
    const text = endedInCr && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    endedInCr = decoded.endsWith('\r');
    const parts = text.split(/\r\n|\n|\r/);
    const last = parts.pop() ?? '';
    for (const part of parts) {
      yield begun.length === 0 ? part : [...begun, part].join('');
      begun = [];
    }
    if (last !== '') begun.push(last);
  }
}
