// A server that answers from a list, records what it is asked, and refuses what its rules refuse. One wire is one `Wire`.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

/** A JSON object as it may arrive. */
export type Json = Readonly<Record<string, unknown>>;

/** One answer. A 200 with an object as body is rendered as a stream; any other body is sent as it is. */
export type WireAnswer =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** The bytes of a stream, in writes of `cutEveryBytes`. By default the response then ends. */
  | { readonly sse: string; readonly cutEveryBytes?: number; readonly end?: 'reset' | 'hang' }
  /** No byte of an answer: the connection is reset, or nothing comes. */
  | { readonly connection: 'reset' | 'silent' };

/** What tells one wire from another. */
export interface Wire {
  /** Why the service would refuse this body; `sent` are the bodies of answers that were rendered so far. */
  complaintAbout(body: Json, sent: readonly Json[], path: string): string | undefined;
  /** Why the service would not look at the body: no access, no such path. */
  complaintAboutHead?(request: Pick<WireRequest, 'path' | 'headers'>): string | undefined;
  /** A whole answer as the bytes of a stream. */
  toStream(body: Json): string;
  /** How streams travel where they are no server-sent events. */
  readonly framing?: { readonly contentType: string; bytes(sse: string): Uint8Array };
  /** A body of this wire's error form. */
  toError(status: number, message: string): Json;
}

/** A request that arrived. */
export interface WireRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Json;
  /** Resolves when the connection under the response is closed, or the response has been sent. */
  readonly closed: Promise<unknown>;
}

/** A running fake. */
export interface WireFake {
  /** Address without a path. */
  readonly url: string;
  readonly requests: readonly WireRequest[];
  /** The complaints of the requests that were refused. They take no answer from the list. */
  readonly rejections: readonly string[];
  /** Adds answers to the list. */
  answer(...answers: readonly WireAnswer[]): void;
  /** Resolves when request `n` (0-based) has arrived. */
  arrived(n: number): Promise<WireRequest>;
  close(): Promise<void>;
}

/** Starts a fake on a free port of the loopback interface. With its list used up it answers 500. */
export async function startWireFake(wire: Wire, ...answers: readonly WireAnswer[]): Promise<WireFake> {
  const fake = new Fake(wire, [...answers]);
  await fake.listen();
  return fake;
}

class Fake implements WireFake {
  readonly requests: WireRequest[] = [];
  readonly rejections: string[] = [];
  readonly #wire: Wire;
  readonly #answers: WireAnswer[];
  readonly #sent: Json[] = [];
  readonly #server: Server;
  readonly #waiting: { readonly n: number; resolve(request: WireRequest): void }[] = [];

  constructor(wire: Wire, answers: WireAnswer[]) {
    this.#wire = wire;
    this.#answers = answers;
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    });
    this.#server.keepAliveTimeout = 0; // an idle connection that the server drops looks like a network fault
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  answer(...answers: readonly WireAnswer[]): void {
    this.#answers.push(...answers);
  }

  arrived(n: number): Promise<WireRequest> {
    const request = this.requests[n];
    if (request !== undefined) return Promise.resolve(request);
    return new Promise((resolve) => this.#waiting.push({ n, resolve }));
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await readText(incoming)) as Json;
    const path = incoming.url ?? '';
    const request = { path, headers: incoming.headers, body, closed: once(response, 'close') };
    const n = this.requests.push(request) - 1;
    for (const waiting of this.#waiting.filter((entry) => entry.n === n)) waiting.resolve(request);
    const complaint = this.#wire.complaintAboutHead?.(request) ?? this.#wire.complaintAbout(body, this.#sent, path);
    if (complaint !== undefined) this.rejections.push(complaint);
    const answer = complaint === undefined ? this.#next() : this.#error(400, complaint);
    if ('sse' in answer) await sendStream(response, answer, this.#wire.framing);
    else send(response, answer);
  }

  #next(): WireAnswer {
    const answer = this.#answers.shift() ?? this.#error(500, 'The list of answers is used up.');
    if (!('status' in answer) || answer.status !== 200 || typeof answer.body !== 'object' || answer.body === null) {
      return answer;
    }
    this.#sent.push(answer.body as Json);
    return { sse: this.#wire.toStream(answer.body as Json) };
  }

  #error(status: number, message: string): WireAnswer {
    return { status, body: this.#wire.toError(status, message) };
  }
}

function send(response: ServerResponse, answer: Exclude<WireAnswer, { sse: string }>): void {
  if ('connection' in answer) {
    if (answer.connection === 'reset') response.socket?.resetAndDestroy();
    return;
  }
  const { status, body, headers } = answer;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

async function sendStream(
  response: ServerResponse,
  answer: Extract<WireAnswer, { sse: string }>,
  { contentType, bytes: bytesOf }: NonNullable<Wire['framing']> = SERVER_SENT_EVENTS,
): Promise<void> {
  response.writeHead(200, { 'content-type': contentType, 'x-request-id': 'req_1' });
  const bytes = bytesOf(answer.sse);
  const size = answer.cutEveryBytes ?? bytes.length;
  for (let at = 0; at < bytes.length; at += size) {
    await new Promise((resolve) => response.write(bytes.subarray(at, at + size), resolve));
    await new Promise(setImmediate); // each write arrives by itself
  }
  if (answer.end === undefined) response.end();
  if (answer.end === 'reset') response.socket?.resetAndDestroy();
}

const SERVER_SENT_EVENTS = { contentType: 'text/event-stream', bytes: (sse: string) => Buffer.from(sse) };

/** Frames of server-sent events: `data` lines, with the event's name where it has one. */
export function frames(...events: readonly (Json | string)[]): string {
  return events.map((event) => frame(event)).join('');
}

function frame(event: Json | string): string {
  if (typeof event === 'string') return `data: ${event}\n\n`;
  const name = typeof event['type'] === 'string' ? `event: ${event['type']}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

/** Whether a value is a JSON object: no list, not null. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list; none where the value is no list. */
export function objectsIn(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Whether a value is a text that holds a JSON object. */
export function isJsonObjectText(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    return isObject(JSON.parse(value));
  } catch {
    return false; // the question was whether it is JSON
  }
}

/** The first complaint of several questions, asked in order. */
export function firstComplaint<T>(items: readonly T[], ask: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const complaint = ask(item);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

/** Names of tools that every service takes. */
export const LEGAL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
