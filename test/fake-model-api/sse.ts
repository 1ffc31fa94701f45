import type { MessageAnswer, SseEvent } from './answers.ts';
import { isObject, type WireBlock } from './wire.ts';

// Few and uneven pieces: enough to break a client that takes one delta for the whole.
const PIECES = 3;

/** The events by which the real API streams this message. */
export function eventsOf(message: MessageAnswer): readonly SseEvent[] {
  const { content, stop_reason, stop_sequence = null, stop_details, usage, ...rest } = message;
  const start = { ...rest, content: [], stop_reason: null, stop_sequence: null, usage: startUsage(usage) };
  const delta = { stop_reason, stop_sequence, ...(stop_details === undefined ? {} : { stop_details }) };
  return [
    event('message_start', { message: start }),
    ...content.flatMap(blockEvents),
    event('message_delta', { delta, usage: usage ?? { output_tokens: 0 } }),
    event('message_stop', {}),
  ];
}

function event(type: string, fields: object): SseEvent {
  return { event: type, data: { type, ...fields } };
}

function startUsage(usage: unknown): unknown {
  const output = { output_tokens: 1, output_tokens_details: null };
  return isObject(usage) ? { ...usage, ...output } : { input_tokens: 0, ...output };
}

function blockEvents(block: WireBlock, index: number): readonly SseEvent[] {
  const [start, deltas] = startAndDeltas(block);
  return [
    event('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ];
}

function startAndDeltas(block: WireBlock): [WireBlock, readonly object[]] {
  if (block.type === 'text' && typeof block.text === 'string') {
    return [{ ...block, text: '' }, cut(block.text).map((text) => ({ type: 'text_delta', text }))];
  }
  if (block.type === 'thinking' && typeof block['thinking'] === 'string') {
    const deltas = cut(block['thinking']).map((thinking) => ({ type: 'thinking_delta', thinking }));
    const signature = { type: 'signature_delta', signature: block['signature'] };
    return [{ ...block, thinking: '', signature: '' }, [...deltas, signature]];
  }
  if (block.type === 'tool_use' || block.type === 'server_tool_use') {
    const pieces = ['', ...cut(JSON.stringify(block.input ?? null))];
    return [{ ...block, input: {} }, pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }))];
  }
  return [block, []];
}

function cut(text: string): string[] {
  const characters = [...text]; // by characters: half of a surrogate pair cannot be sent as UTF-8
  const size = Math.max(1, Math.ceil(characters.length / PIECES));
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(''));
  return pieces;
}

/** The bytes of one event as text, every line ended by `lineEnd`. */
export function frameOf({ event: name, data }: SseEvent, lineEnd = '\n'): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `event: ${name}${lineEnd}data: ${text}${lineEnd}${lineEnd}`;
}

/** The message that a client makes of these events, as far as they go. */
export function messageOf(events: readonly SseEvent[]): MessageAnswer {
  let head: Readonly<Record<string, unknown>> = {};
  let tail: Readonly<Record<string, unknown>> = {};
  let usage: unknown;
  const blocks = new Map<number, OpenBlock>();
  for (const { data } of events) {
    if (!isObject(data)) continue;
    if (data['type'] === 'message_start' && isObject(data['message'])) head = data['message'];
    if (data['type'] === 'message_delta' && isObject(data['delta'])) tail = data['delta'];
    if (isObject(data['usage'])) usage = data['usage'];
    const index = Number(data['index']);
    if (data['type'] === 'content_block_start')
      blocks.set(index, { block: data['content_block'] as WireBlock, json: '' });
    if (data['type'] === 'content_block_delta') grow(blocks.get(index), data['delta']);
  }
  const content = [...blocks.values()].map(closed);
  const allUsage = { ...(head['usage'] as object | undefined), ...(usage as object | undefined) };
  return { ...head, ...tail, usage: allUsage, content } as unknown as MessageAnswer;
}

interface OpenBlock {
  block: WireBlock;
  json: string;
}

function grow(open: OpenBlock | undefined, delta: unknown): void {
  if (!open || !isObject(delta)) return;
  if (delta['type'] === 'input_json_delta') open.json += String(delta['partial_json']);
  if (delta['type'] === 'signature_delta') open.block = { ...open.block, signature: delta['signature'] };
  for (const field of ['text', 'thinking']) {
    const more = delta[field];
    if (typeof more === 'string') open.block = { ...open.block, [field]: String(open.block[field] ?? '') + more };
  }
}

function closed({ block, json }: OpenBlock): WireBlock {
  return json === '' ? block : { ...block, input: parsedOrText(json) };
}

function parsedOrText(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return json; // what the model wrote is no JSON: kept as text for comparisons
    throw error;
  }
}
