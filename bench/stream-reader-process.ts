// Reads streamed answers, through an adapter and its SDK or by hand as the floor, and tells what that took.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ModelEvent } from '../src/adapters/model-adapter.ts';
import { callsOf, textOf } from '../src/protocol/messages.ts';
import { fromParent, tellParent } from './child-side.ts';
import { modelOf, type StreamedAnswer, wholeText, wireOf } from './streamed-answer.ts';

/** One answer, and what is to be measured of its reading. */
export interface ReadOrder {
  readonly url: string;
  readonly answer: StreamedAnswer;
  readonly measure: 'floor' | 'adapter' | 'memory';
}

/** CPU time of this process, in ms: the service's is not in it. */
export interface ReadTime {
  readonly cpuMs: number;
}

/** Live bytes that the reading has added, divided by the bytes of the text. */
export interface ReadMemory {
  /** When the last piece has come. */
  readonly atLastPiece: number;
  /** When the whole answer is handed over. */
  readonly atEnd: number;
}

type Finished = Extract<ModelEvent, { type: 'finished' }>;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

tellParent({ type: 'ready' });
for (;;) {
  const order = await fromParent<ReadOrder>();
  tellParent(order.measure === 'memory' ? await weigh(order) : await time(order));
}

async function time(order: ReadOrder): Promise<ReadTime> {
  const before = process.cpuUsage();
  const chars = order.measure === 'floor' ? await readByHand(order) : await readByAdapter(order);
  const { user, system } = process.cpuUsage(before);
  if (chars < wholeText(order.answer).length) throw new Error(`of ${modelOf(order.answer)} came ${chars} characters`);
  return { cpuMs: (user + system) / 1_000 };
}

/** The bytes of the same answer, with what every reader must do: decode, find the events, parse each. */
async function readByHand({ url, answer }: ReadOrder): Promise<number> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ model: modelOf(answer) }) });
  const events: unknown[] = [];
  let [rest, chars] = ['', 0];
  for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      events.push(JSON.parse(line.slice('data: '.length)));
      chars += line.length;
    }
  }
  return events.length > 0 ? chars : 0;
}

async function readByAdapter(order: ReadOrder): Promise<number> {
  let finished: Finished | undefined;
  for await (const event of streamOf(order)) if (event.type === 'finished') finished = event;
  if (finished === undefined) return 0;
  const [call] = callsOf(finished.message);
  return call === undefined ? textOf(finished.message).length : String(call.input['text']).length;
}

async function weigh(order: ReadOrder): Promise<ReadMemory> {
  const { pieces } = order.answer;
  const { length } = wholeText(order.answer);
  const before = await restingBytes();
  let [seen, atLastPiece, atEnd] = [0, 0, 0];
  for await (const event of streamOf(order)) {
    if (event.type === 'text_delta' && ++seen === pieces) atLastPiece = liveBytes();
    if (event.type === 'finished') atEnd = liveBytes();
  }
  if (seen !== pieces || atEnd === 0) throw new Error(`of ${modelOf(order.answer)} came ${seen} pieces`);
  return { atLastPiece: (atLastPiece - before) / length, atEnd: (atEnd - before) / length };
}

/** What is live when nothing is read. What waits for a finalizer of an SDK goes with a later collection. */
async function restingBytes(): Promise<number> {
  for (let at = 0; at < 5; at++) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  return liveBytes();
}

/** Two collections: what the first one frees outside the heap is counted until the next. */
function liveBytes(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function streamOf({ url, answer }: ReadOrder): AsyncIterable<ModelEvent> {
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Write.' }] }] as const;
  const request = { model: modelOf(answer), instructions: '', tools: [], messages, maxOutputTokens: 1_000_000 };
  return wireOf(answer.wire).create(url, 'bench-key').stream(request, new AbortController().signal);
}
