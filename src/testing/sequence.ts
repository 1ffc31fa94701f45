// What a recorded model call is, as one line of JSON.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ModelErrorKind, ModelEvent, ModelRequest } from '../adapters/model-adapter.ts';
import type { Message } from '../protocol/messages.ts';

/** The short form of a request: as much of it as tells whether a loop still asks what it asked when it was recorded. */
export interface RecordedRequest {
  /** Without the provider. */
  readonly model: string;
  /** How many messages the model was shown. */
  readonly messages: number;
  /** The last of them; the data of images and documents is replaced by its digest. Null where there was none. */
  readonly last: Message | null;
}

/** A failure of a model call. How long the provider asked to wait is not kept. */
export interface RecordedError {
  readonly kind: ModelErrorKind;
  readonly message: string;
  readonly retryable: boolean;
  /** HTTP status, where there was one. */
  readonly status?: number;
}

/** One model call: what was asked, the events of the answer in order without their times, and the failure that ended it. */
export interface RecordedCall {
  readonly asked: RecordedRequest;
  /** Without the signs of life that say nothing. */
  readonly events: readonly ModelEvent[];
  readonly error?: RecordedError;
}

/** The model calls of a run, in order; each attempt is one. */
export type Sequence = readonly RecordedCall[];

/** Thrown for a text that is no sequence. Its message names the line. */
export class SequenceError extends Error {
  override readonly name = 'SequenceError';
}

/** The short form of a request. */
export function shortForm({ model, messages }: ModelRequest): RecordedRequest {
  const last = messages.at(-1);
  return { model, messages: messages.length, last: last === undefined ? null : withoutData(last) };
}

/** A call as one line, without the line break. */
export function sequenceLine(call: RecordedCall): string {
  return JSON.stringify(call);
}

/** The sequence that JSON lines hold. Throws {@link SequenceError}. */
export function parseSequence(text: string): Sequence {
  const lines = text.split('\n').map((line, index) => ({ line, number: index + 1 }));
  return lines.filter(({ line }) => line.trim() !== '').map(({ line, number }) => parseLine(line, number));
}

/** The sequence in a file that `pawl record` has written. Throws {@link SequenceError}, or what reading the file throws. */
export function readSequence(file: string | URL): Sequence {
  return parseSequence(readFileSync(file, 'utf8'));
}

function parseLine(line: string, number: number): RecordedCall {
  const call = parsed(line, number);
  if (isRecordedCall(call)) return call;
  throw new SequenceError(`line ${number} is no recorded model call: it needs "asked" and "events"`);
}

function parsed(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new SequenceError(`line ${number} is no JSON`, { cause: error });
  }
}

function isRecordedCall(value: unknown): value is RecordedCall {
  const { asked, events } = Object(value) as Partial<RecordedCall>;
  return typeof asked?.model === 'string' && Number.isInteger(asked.messages) && Array.isArray(events);
}

/** Images would make the lines unreadable, and their digests tell them apart as well. */
function withoutData(message: Message): Message {
  const text = JSON.stringify(message, function (this: unknown, key, value: unknown) {
    return key === 'data' && typeof value === 'string' && hasMediaType(this) ? `sha256:${sha256(value)}` : value;
  });
  return JSON.parse(text) as Message;
}

function hasMediaType(block: unknown): boolean {
  return typeof block === 'object' && block !== null && 'mediaType' in block;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
