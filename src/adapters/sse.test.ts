import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SentEvent, sentEvents } from './sse.ts';

async function eventsIn(text: string, size = text.length): Promise<SentEvent[]> {
  async function* pieces() {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const events: SentEvent[] = [];
  for await (const event of sentEvents(pieces())) events.push(event);
  return events;
}

describe('sentEvents', () => {
  it.each([
    ['data without a name', 'data: a\n\n', [{ event: undefined, data: 'a' }]],
    ['a name and data', 'event: x\ndata:a\n\n', [{ event: 'x', data: 'a' }]],
    ['a name alone', 'event: x\n\n', [{ event: 'x', data: '' }]],
    ['data in lines', 'data: a\ndata:  b\ndata\n\n', [{ event: undefined, data: 'a\n b\n' }]],
    ['fields that mean nothing', 'id: 1\nretry: 5\nodd\ndata: a\n\n', [{ event: undefined, data: 'a' }]],
    ['empty lines', '\n\n\ndata: a\n\n\n', [{ event: undefined, data: 'a' }]],
    ['a byte order mark', '\ufeffdata: a\n\n', [{ event: undefined, data: 'a' }]],
    ['a comment', ': busy\n\n', [{ event: 'comment', data: '' }]],
    ['an event that the end cuts', 'data: a\n\ndata: b\n', [{ event: undefined, data: 'a' }]],
    ['nothing', '', []],
  ])('reads %s', async (_, text, events) => {
    expect(await eventsIn(text)).toEqual(events);
  });

  it('reads the same, whatever ends the lines and wherever the bytes are cut', async () => {
    const anyData = fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ' ')));
    const ends = fc.constantFrom('\n', '\r\n', '\r');
    await fc.assert(
      fc.asyncProperty(anyData, ends, fc.integer({ min: 1, max: 9 }), async (texts, end, size) => {
        const sent = texts.map((text) => `event: e${end}data: ${text}${end}${end}`).join('');
        expect(await eventsIn(sent, size)).toEqual(texts.map((data) => ({ event: 'e', data })));
      }),
    );
  });
});
