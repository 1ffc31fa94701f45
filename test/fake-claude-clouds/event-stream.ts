// AWS's binary framing: https://docs.aws.amazon.com/lexv2/latest/dg/event-stream-encoding.html

import { crc32 } from 'node:zlib';

const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;
/** Type of a header whose value is a text. */
const TEXT = 7;

/** One frame. */
export function eventFrame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => headerBytes(name, value)));
  const body = Buffer.from(payload);
  const frame = Buffer.alloc(PRELUDE_BYTES + head.length + body.length + CRC_BYTES);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(head.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  head.copy(frame, PRELUDE_BYTES);
  body.copy(frame, PRELUDE_BYTES + head.length);
  frame.writeUInt32BE(crc32(frame.subarray(0, -CRC_BYTES)), frame.length - CRC_BYTES);
  return frame;
}

/** A frame with a piece of the model's answer. */
export function chunkFrame(text: string): Buffer {
  const bytes = Buffer.from(text).toString('base64');
  return eventFrame(jsonHeaders('event', 'chunk'), JSON.stringify({ bytes, p: 'abcdefgh' }));
}

/** A frame with which the service breaks off. */
export function exceptionFrame(type: string, payload: string): Buffer {
  return eventFrame(jsonHeaders('exception', type), payload);
}

function jsonHeaders(kind: 'event' | 'exception', type: string): Readonly<Record<string, string>> {
  return { [`:${kind}-type`]: type, ':content-type': 'application/json', ':message-type': kind };
}

function headerBytes(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([TEXT]),
    length,
    Buffer.from(value),
  ]);
}
