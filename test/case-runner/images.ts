import { crc32, deflateSync } from 'node:zlib';

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** First bytes by which each kind of file is known. */
const MAGIC: Readonly<Record<string, Buffer>> = {
  jpeg: Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46, 0x49, 0x46, 0x00]),
  gif: Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1'),
  webp: Buffer.from('RIFF\x00\x00\x00\x00WEBPVP8 ', 'latin1'),
  svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  pdf: Buffer.from('%PDF-1.4\n'),
};

/** Bytes that begin as a file of that kind does, about `size` long. A PNG is a whole, valid one. */
export function imageBytes(kind: string, size: number): Buffer {
  if (kind === 'png') return png(size);
  const magic = MAGIC[kind];
  if (magic === undefined) throw new Error(`unknown kind of image: ${kind}`);
  return Buffer.concat([magic, Buffer.alloc(Math.max(size - magic.length, 0))]);
}

/** One pixel, and the wanted size in a private chunk that readers pass over. */
function png(size: number): Buffer {
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  const parts = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from([0, 0]))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  const used = PNG_SIGNATURE.length + parts.reduce((sum, part) => sum + part.length, 0) + 12;
  const filler = chunk('fiLl', Buffer.alloc(Math.max(size - used, 0)));
  return Buffer.concat([PNG_SIGNATURE, ...parts.slice(0, 1), filler, ...parts.slice(1)]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
