import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../protocol/messages.ts';
import { createAnthropicAdapter } from './anthropic.ts';
import type { ModelEvent, ModelRequest } from './model-adapter.ts';

const KEY = 'sk-ant-marker-key';
const NEVER = new AbortController().signal;
const REQUEST: ModelRequest = {
  model: 'claude-x',
  instructions: '',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  maxOutputTokens: 64_000,
};
const START = frame('message_start', { message: { model: 'claude-1', content: [] } });
const TEXT = [
  frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Grüße 😀' } }),
].join('');
const STOP = frame('message_delta', { delta: { stop_reason: 'end_turn' } }) + frame('message_stop', {});

/** The end of a response that a slow proxy holds back. */
const TAIL_MS = 20;

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: JsonObject;
}

let server: Server;
let received: Received[];
let respond: (response: ServerResponse) => void;
let baseUrl: string;

beforeEach(async () => {
  received = [];
  server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: JSON.parse(await readText(request)) });
    respond(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function frame(event: string, data: JsonObject): string {
  return `event: ${event}\ndata: ${JSON.stringify({ type: event, ...data })}\n\n`;
}

function streaming(...frames: string[]): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_1' });
    response.end(frames.join(''));
  };
}

function answering(status: number, body: string, headers: Record<string, string> = {}) {
  return (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_1', ...headers }).end(body);
  };
}

function stream(request: Partial<ModelRequest> = {}, signal = NEVER): AsyncIterable<ModelEvent> {
  return createAnthropicAdapter({ apiKey: KEY, baseUrl }).stream({ ...REQUEST, ...request }, signal);
}

async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe('a request', () => {
  it('goes where and as whom it was told, whatever the environment says', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'other-key');
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'other-token');
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:1');
    respond = streaming(START, TEXT, STOP);
    await collect(stream());
    expect(JSON.stringify(received[0]?.headers)).toContain(KEY);
    expect(JSON.stringify(received[0]?.headers)).not.toContain('other-');
  });

  it.each([undefined, ''])(
    'without a key (%j) is refused before it is sent, with one in the environment too',
    async (apiKey) => {
      vi.stubEnv('ANTHROPIC_API_KEY', 'other-key');
      const adapter = createAnthropicAdapter({ apiKey, baseUrl });
      await expect(collect(adapter.stream(REQUEST, NEVER))).rejects.toMatchObject({
        kind: 'auth',
        retryable: false,
        message: "ANTHROPIC_API_KEY is not set. Put it into the worker's environment or its .env.",
      });
      expect(received).toHaveLength(0);
    },
  );

  it('streams with any number of output tokens, and names beta features in the header', async () => {
    respond = streaming(START, TEXT, STOP);
    await collect(stream({ modelOptions: { betas: ['a', 'b'], temperature: 0 } }));
    expect(received[0]?.body).toMatchObject({ stream: true, max_tokens: 64_000, temperature: 0 });
    expect(received[0]?.body).not.toHaveProperty('betas');
    expect(received[0]?.headers['anthropic-beta']).toBe('a,b');
  });
});

describe('an answer', () => {
  it('is read from pieces that end anywhere, inside characters too', async () => {
    respond = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      const bytes = Buffer.from([START, TEXT, frame('ping', {}), STOP].join('').replaceAll('\n', '\r\n'));
      for (let at = 0; at < bytes.length; at += 7) {
        response.write(bytes.subarray(at, at + 7));
        await new Promise(setImmediate);
      }
      response.end();
    };
    const events = await collect(stream());
    expect(events).toContainEqual({ type: 'text_delta', text: 'Grüße 😀' });
    expect(events.filter((event) => event.type === 'finished')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'finished', model: 'claude-1', stopReason: 'end_turn' });
  });

  it('of ten thousand pieces is whole', async () => {
    const piece = frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'ab ' } });
    respond = streaming(START, TEXT, piece.repeat(10_000), STOP);
    const finished = (await collect(stream())).at(-1);
    expect(finished).toMatchObject({ message: { content: [{ text: `Grüße 😀${'ab '.repeat(10_000)}` }] } });
  });

  it('leaves its connection for the next request, where its end comes a moment after its last event', async () => {
    respond = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(START + TEXT + STOP, () => setTimeout(() => response.end(), TAIL_MS));
    };
    const adapter = createAnthropicAdapter({ apiKey: KEY, baseUrl });
    let connections = 0;
    server.on('connection', () => connections++);
    for (let n = 0; n < 10; n++) await collect(adapter.stream(REQUEST, NEVER));
    expect(received).toHaveLength(10);
    expect(connections).toBeLessThanOrEqual(2); // the client opens a second one beside the first
  });

  it('is finished with its last event, even where the server never ends the response', async () => {
    let closed: Promise<unknown> | undefined;
    respond = (response) => {
      closed = once(response, 'close');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(START + TEXT + STOP);
    };
    expect((await collect(stream())).at(-1)).toMatchObject({ type: 'finished' });
    await closed;
  });
});

describe('a failing status', () => {
  it.each([
    [400, 'invalid_request', false],
    [401, 'auth', false],
    [402, 'permission', false],
    [403, 'permission', false],
    [404, 'not_found', false],
    [408, 'timeout', true],
    [409, 'server_error', true],
    [413, 'too_large', false],
    [422, 'invalid_request', false],
    [429, 'rate_limited', true],
    [500, 'server_error', true],
    [503, 'server_error', true],
    [529, 'overloaded', true],
  ])('%i is asked once, is %s, and tells all but the key', async (status, kind, retryable) => {
    const error = { type: 'some_error', message: `Made up ${KEY}.` };
    respond = answering(status, JSON.stringify({ type: 'error', error }), { 'retry-after': '2' });
    const failure = await collect(stream()).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ kind, retryable, status, retryAfterMs: 2_000 });
    expect((failure as Error).message).toMatch(/some_error.*Made up \[key\].*req_1/);
    expect((failure as Error).message).not.toContain('marker');
    expect(received).toHaveLength(1);
  });

  it('is told by the body of a proxy, too', async () => {
    respond = answering(502, '<h1>Bad gateway</h1>', { 'content-type': 'text/html' });
    await expect(collect(stream())).rejects.toMatchObject({
      kind: 'server_error',
      message: 'Anthropic answered 502: <h1>Bad gateway</h1> [request req_1]',
    });
  });
});

describe('an answer of a wrong shape', () => {
  it.each([
    ['a message as JSON', 200, '{"type":"message","content":null}'],
    ['a list', 200, '[]'],
    ['no JSON', 200, 'not json at all'],
    ['nothing', 200, ''],
  ])('%s is a bad response, worth another attempt', async (_, status, body) => {
    respond = answering(status, body);
    await expect(collect(stream())).rejects.toMatchObject({ kind: 'bad_model_response', retryable: true });
    expect(received).toHaveLength(1);
  });

  it.each([
    ['a stream without events', 'not json at all'],
    ['an event that is no JSON', 'event: message_start\ndata: {"type\n\n'],
    ['an event that is a list', 'event: message_start\ndata: []\n\n'],
    ['an event without what it announces', frame('message_start', { message: null })],
  ])('%s is a bad response, worth another attempt', async (_, body) => {
    respond = streaming(body);
    await expect(collect(stream())).rejects.toMatchObject({ kind: 'bad_model_response', retryable: true });
  });

  it('shows the beginning of a foreign body, without the key', async () => {
    respond = answering(200, `<html>${KEY} ${'x'.repeat(9_000)}`, { 'content-type': 'text/html' });
    const failure = (await collect(stream()).catch((thrown: unknown) => thrown)) as Error;
    expect(failure.message).toContain('text/html');
    expect(failure.message).not.toContain('marker');
    expect(failure.message.length).toBeLessThan(400);
  });
});

describe('an answer that breaks off', () => {
  it('without its end is incomplete', async () => {
    respond = streaming(START, TEXT);
    await expect(collect(stream())).rejects.toMatchObject({ kind: 'stream_incomplete', retryable: true });
  });

  it.each([
    ['overloaded_error', 'overloaded', true],
    ['invalid_request_error', 'invalid_request', false],
  ])('with %s in its midst is classified by that type', async (type, kind, retryable) => {
    respond = streaming(START, TEXT, frame('error', { error: { type, message: 'Made up.' } }));
    await expect(collect(stream())).rejects.toMatchObject({
      kind,
      retryable,
      message: expect.stringContaining('req_1'),
    });
  });

  it('before it begins, as an error with status 200, is classified by that type', async () => {
    respond = answering(200, '{"type":"error","error":{"type":"rate_limit_error","message":"Slow."}}');
    await expect(collect(stream())).rejects.toMatchObject({ kind: 'rate_limited', retryable: true });
  });

  it('before its headers is a fault of the connection', async () => {
    respond = (response) => response.socket?.resetAndDestroy();
    await expect(collect(stream())).rejects.toMatchObject({ kind: 'connection', retryable: true });
    expect(received).toHaveLength(1);
  });

  it('in the middle of its body is a fault of the connection', async () => {
    respond = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(START + TEXT, () => response.socket?.resetAndDestroy());
    };
    await expect(collect(stream())).rejects.toMatchObject({ kind: 'connection', retryable: true });
  });
});

describe('an abort', () => {
  const reason = new Error('enough');

  it('before the headers closes the socket and is no fault', async () => {
    const controller = new AbortController();
    const arrived = new Promise<ServerResponse>((resolve) => {
      respond = resolve;
    });
    const failure = collect(stream({}, controller.signal)).catch((thrown: unknown) => thrown);
    const closed = once(await arrived, 'close');
    controller.abort(reason);
    await closed;
    expect(await failure).toMatchObject({ kind: 'user_cancelled', retryable: false, cause: reason });
  });

  it.each(['while the next event is awaited', 'while nobody reads'])(
    'in mid-stream, %s, closes the socket',
    async (how) => {
      const controller = new AbortController();
      let closed: Promise<unknown> | undefined;
      respond = (response) => {
        closed = once(response, 'close');
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(START + TEXT);
      };
      const events = stream({}, controller.signal)[Symbol.asyncIterator]();
      for (let n = 0; n < 3; n++) await events.next();
      const next = how === 'while nobody reads' ? undefined : events.next();
      const outcome = next?.catch((thrown: unknown) => thrown);
      controller.abort(reason);
      await closed;
      const failure = await (outcome ?? events.next().catch((thrown: unknown) => thrown));
      expect(failure).toMatchObject({ kind: 'user_cancelled', retryable: false, cause: reason });
    },
  );

  it('that came before sends nothing', async () => {
    await expect(collect(stream({}, AbortSignal.abort(reason)))).rejects.toMatchObject({ kind: 'user_cancelled' });
    expect(received).toHaveLength(0);
  });

  it('is not needed to close the socket of a reader who leaves', async () => {
    let closed: Promise<unknown> | undefined;
    respond = (response) => {
      closed = once(response, 'close');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(START + TEXT);
    };
    for await (const _ of stream()) break;
    await closed;
  });
});
