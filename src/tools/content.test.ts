import { expect, test } from 'vitest';
import { jsonBytes } from '../protocol/json.ts';
import type { ResultContent } from '../protocol/messages.ts';
import { content, image, pdf } from './content.ts';
import { shapeOutput } from './shape-output.ts';

const CAP = 192 * 1024;

function textFor(value: unknown, cap = CAP): string {
  return shapeOutput(value, cap)
    .map((block) => (block.type === 'text' ? block.text : `<${block.type}>`))
    .join('|');
}

const png = (bytes: number) => Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(bytes - 8)]);

const data = (block: ResultContent | undefined) => (block?.type === 'image' ? block.mediaType : block);

test('an image goes out as the type that its bytes have', () => {
  const [text, first, second] = shapeOutput(
    content('a dot', image('image/png', png(20)), image('image/png', Buffer.from('GIF89a..'))),
    CAP,
  );
  expect([text, data(first), data(second)]).toEqual([{ type: 'text', text: 'a dot' }, 'image/png', 'image/gif']);
});

test.each([
  ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
  ['image/webp', Buffer.from('RIFF\x04\0\0\0WEBPVP8 ', 'latin1')],
])('%s is told by its first bytes', (mediaType, bytes) => {
  expect(data(shapeOutput(image('image/png', bytes), CAP)[0])).toBe(mediaType);
});

test.each([
  ['image/svg+xml', Buffer.from('<svg/>'), '[image/svg+xml, 6 bytes, omitted: not a PNG, JPEG, GIF or WebP image]'],
  ['image/png', Buffer.alloc(0), '[image/png, 0 bytes, omitted: not a PNG, JPEG, GIF or WebP image]'],
  ['image/png', png(4_200_000), '[image/png, 4200000 bytes, omitted: over 5242880 characters of base64]'],
  ['image/png', png(1_000_000), '[image/png, 1000000 bytes, omitted: too big for this result]'],
])('%s that no provider takes, or that does not fit, becomes a note', (mediaType, bytes, note) => {
  expect(textFor(content('a square', image(mediaType, bytes)))).toBe(`a square|${note}`);
});

test('a PDF is a document, anything else that calls itself one is a note', () => {
  expect(shapeOutput(pdf(Buffer.from('%PDF-1.7'), 'Bill'), CAP)).toEqual([
    { type: 'document', mediaType: 'application/pdf', data: 'JVBERi0xLjc=', title: 'Bill' },
  ]);
  expect(textFor(pdf(Buffer.from('hello')))).toBe('[application/pdf, 5 bytes, omitted: not a PDF document]');
});

test('a small image beside a huge text keeps its place, and only the text is cut', () => {
  const shaped = shapeOutput(content('x'.repeat(500_000), image('image/png', png(9_000))), CAP);
  expect(shaped.map(({ type }) => type)).toEqual(['text', 'image']);
  expect(jsonBytes(shaped)).toBeLessThanOrEqual(CAP);
});

test('more blocks than fit are counted', () => {
  expect(textFor(content(...new Array(5_000).fill('part')), 2_000)).toMatch(
    /^(part\|)+\[cut: 5000 blocks in all, \d+ omitted\]$/,
  );
});
