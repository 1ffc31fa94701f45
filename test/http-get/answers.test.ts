// What becomes of answers, good and bad. All servers here are allowed, for they stand on loopback.

import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { HttpGetOptions } from '../../src/tools/http-get.ts';
import { type Asked, ask } from './ask.ts';
import { type LocalServer, startHttpServer, startTcpServer } from './local-server.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const servers: LocalServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function answerOf(answer: RequestListener, options?: HttpGetOptions, signal?: AbortSignal): Promise<Asked> {
  return askServer(await startHttpServer(answer), options, signal);
}

/** The answer to a request, of a server that writes these bytes, or does what the function does, on each connection. */
async function bytesAnswer(respond: (socket: Socket) => void, options?: HttpGetOptions): Promise<Asked> {
  return askServer(await startTcpServer((socket) => void socket.once('data', () => respond(socket))), options);
}

function askServer(server: LocalServer, options?: HttpGetOptions, signal?: AbortSignal): Promise<Asked> {
  servers.push(server);
  return ask(`http://${server.host}/page`, { allowPrivate: [server.host], ...options }, signal);
}

function sending(type: string, body: string | Buffer, headers: Record<string, string> = {}): RequestListener {
  return (_request, response) => void response.writeHead(200, { 'content-type': type, ...headers }).end(body);
}

/** The result without its first line. */
function bodyOf({ text }: Asked): string {
  return text.slice(text.indexOf('\n') + 1);
}

describe('a text', () => {
  test('comes with a line about it', async () => {
    const asked = await answerOf(sending('text/plain', 'hello'));
    expect(asked).toMatchObject({ outcome: 'completed', types: ['text', 'text'] });
    expect(asked.text).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/page \(HTTP 200, text\/plain, 5 bytes\)\nhello$/);
  });

  test.each([
    ['application/json', '{"a":1}'],
    ['application/problem+json', '{"a":1}'],
    ['application/atom+xml; charset=utf-8', '<feed/>'],
    ['text/html', '<p>hello</p>'],
    ['IMAGE/SVG+XML', '<svg/>'],
    ['application/yaml', 'a: 1'],
  ])('%s is given as it is', async (type, body) => {
    expect(bodyOf(await answerOf(sending(type, body)))).toBe(body);
  });

  test.each([
    ['its type', 'text/plain; charset=ISO-8859-1', Buffer.from('Zürich', 'latin1')],
    ['its quoted type', 'text/plain; charset="euc-kr"', Buffer.from([0xbc, 0xad, 0xbf, 0xef])],
    ['a byte order mark', 'text/plain; charset=latin1', Buffer.from('\ufeffZürich')],
    ['a byte order mark of UTF-16', 'text/plain', Buffer.from('\ufeffZürich', 'utf16le')],
    ['HTML', 'text/html', Buffer.from('<meta charset="latin1">Zürich', 'latin1')],
    ['old HTML', 'text/html', Buffer.from('<meta http-equiv=x content="text/html; charset=latin1">Zürich', 'latin1')],
    ['nothing: UTF-8', 'text/plain', Buffer.from('Zürich')],
    ['a charset that does not exist: UTF-8', 'text/plain; charset=klingon', Buffer.from('Zürich')],
  ])('is decoded by %s', async (_what, type, bytes) => {
    expect(bodyOf(await answerOf(sending(type, bytes)))).toMatch(/^(<.*>)?(Zürich|서울)$/);
  });

  test('is cut at the cap, never inside a character, and says so', async () => {
    const asked = await answerOf(sending('text/plain', 'é'.repeat(100)), { maxBytes: 11 });
    expect(asked.text).toMatch(/text\/plain, cut: only the first 11 bytes were read\)\nééééé$/);
    const whole = await answerOf(sending('text/plain', 'x'.repeat(11)), { maxBytes: 11 });
    expect(whole.text).toMatch(/, 11 bytes\)\nx{11}$/);
  });

  test('needs no type where it is UTF-8', async () => {
    expect(bodyOf(await answerOf((_request, response) => response.end('Zürich')))).toBe('Zürich');
  });

  test('that is empty says so', async () => {
    expect(bodyOf(await answerOf((_request, response) => void response.writeHead(204).end()))).toBe('[empty]');
  });
});

describe('other types', () => {
  test('an image is a block', async () => {
    expect((await answerOf(sending('image/png', PNG))).types).toEqual(['text', 'image']);
  });

  test('a PDF is a document', async () => {
    expect((await answerOf(sending('application/pdf', '%PDF-1.7'))).types).toEqual(['text', 'document']);
  });

  test.each([
    ['bytes without a type', '', 'PK\0\x01', /4 bytes, omitted: neither text nor an image\]/],
    ['an image that is none', 'image/png', 'GIF', /\[image\/png, 3 bytes, omitted: not a PNG/],
    ['an archive', 'application/zip', 'PK', /\[application\/zip, 2 bytes, omitted: neither text nor an image\]/],
    ['an image over the cap', 'image/png', 'x'.repeat(50), /\[image\/png, omitted: more than 20 bytes\]/],
  ])('%s is a note', async (_what, type, body, note) => {
    expect(await answerOf(sending(type, body), { maxBytes: 20 })).toMatchObject({
      outcome: 'completed',
      text: expect.stringMatching(note),
    });
  });
});

describe('an encoded body', () => {
  const text = 'hello '.repeat(20);
  test.each([
    ['gzip', gzipSync(text)],
    ['X-GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ])('of %s is decoded', async (encoding, bytes) => {
    expect(bodyOf(await answerOf(sending('text/plain', bytes, { 'content-encoding': encoding })))).toBe(text);
  });

  test.each([
    ['gzip', gzipSync(Buffer.alloc(64 * 1_048_576))],
    ['br', brotliCompressSync(Buffer.alloc(64 * 1_048_576))],
  ])('that unpacks to 64 MiB from little is read as far as the cap: %s', async (encoding, bytes) => {
    expect(bytes.length).toBeLessThan(100_000);
    const before = process.memoryUsage().arrayBuffers;
    const asked = await answerOf(sending('application/zip', bytes, { 'content-encoding': encoding }), {
      maxBytes: 5_000,
    });
    expect(asked.text).toContain('cut: only the first 5000 bytes were read');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1_048_576);
  });

  test.each(['gzip', 'deflate', 'br'])('that is empty is empty: %s', async (encoding) => {
    expect(bodyOf(await answerOf(sending('text/plain', '', { 'content-encoding': encoding })))).toBe('[empty]');
  });

  test.each([
    ['is broken', Buffer.from('this is no gzip')],
    ['breaks off', gzipSync(text).subarray(0, 20)],
    ['breaks off at once', gzipSync(text).subarray(0, 1)],
  ])('that %s may be tried again', async (_what, bytes) => {
    const asked = await answerOf(sending('text/plain', bytes, { 'content-encoding': 'gzip' }));
    expect(asked).toMatchObject({ outcome: 'failed', retryable: true });
    expect(asked.text).toMatch(/^The answer broke off \(/);
  });

  test.each(['zstd', 'gzip, gzip', 'constructor'])('that nobody asked for is refused: %s', async (encoding) => {
    const asked = await answerOf(sending('text/plain', 'x', { 'content-encoding': encoding }));
    expect(asked).toMatchObject({ outcome: 'failed', retryable: false });
    expect(asked.text).toBe(`The answer is encoded as ${encoding}, which cannot be read.`);
  });
});

describe('a status', () => {
  const failing = (status: number): RequestListener => {
    return (_request, response) =>
      void response.writeHead(status, { 'content-type': 'text/plain' }).end('x'.repeat(9_999));
  };

  test.each([300, 304, 400, 401, 403, 404, 410, 418])('%d is for the model, and final', async (status) => {
    expect(await answerOf(failing(status))).toMatchObject({ outcome: 'failed', retryable: false });
  });

  test.each([408, 425, 429, 500, 502, 503, 504])('%d may be tried again', async (status) => {
    expect(await answerOf(failing(status))).toMatchObject({ outcome: 'failed', retryable: true });
  });

  test('comes with the first KiB of the body', async () => {
    const { text } = await answerOf(failing(404));
    expect(text).toMatch(/^http:\/\/[\d.:]+\/page answered with HTTP 404: x{1024}$/);
  });

  test('of a redirect without a place is final', async () => {
    const asked = await answerOf((_request, response) => void response.writeHead(302).end());
    expect(asked).toMatchObject({ outcome: 'failed', retryable: false });
    expect(asked.text).toMatch(/answered with HTTP 302: \(no text\)$/);
  });
});

describe('a fault of the network may be tried again', () => {
  const faults: readonly [string, (socket: Socket) => void, RegExp][] = [
    ['a connection that is reset', (socket) => socket.resetAndDestroy(), /cannot be reached \(/],
    ['an answer that is no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'), /cannot be reached \(/],
    [
      'headers without end',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nx-big: ${'x'.repeat(100_000)}`),
      /cannot be reached \(.*[Hh]eader/,
    ],
    [
      'a body that breaks off',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\nshort'),
      /broke off \(/,
    ],
    [
      'a protocol that was not asked for',
      (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      /cannot be reached \(/,
    ],
  ];
  test.each(faults)('%s', async (_what, respond, why) => {
    const asked = await bytesAnswer(respond);
    expect(asked).toMatchObject({ outcome: 'failed', retryable: true });
    expect(asked.text).toMatch(why);
  });

  test('a port that nobody listens on', async () => {
    const server = await startHttpServer(() => undefined);
    await server.close();
    const asked = await ask(`http://${server.host}/`, { allowPrivate: [server.host] });
    expect(asked).toMatchObject({ outcome: 'failed', retryable: true });
    expect(asked.text).toMatch(/cannot be reached \(.*ECONNREFUSED/);
  });
});

describe('the time is up', () => {
  const headers = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n';

  test('for a server that sends no headers', async () => {
    const asked = await answerOf(() => undefined, { timeoutMs: 1_000 });
    expect(asked).toMatchObject({ outcome: 'failed', retryable: true });
    expect(asked.text).toMatch(/\/page sent nothing for 500 ms/);
  });

  test('for a body that stops', async () => {
    const asked = await bytesAnswer((socket) => socket.write(`${headers}some`), { timeoutMs: 1_000 });
    expect(asked).toMatchObject({ outcome: 'failed', retryable: true });
    expect(asked.text).toMatch(/\/page sent nothing for 500 ms/);
  });

  test('for a body that never ends, a little at a time', async () => {
    const drip = (_request: unknown, response: ServerResponse): void => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const timer = setInterval(() => response.write('.'), 5);
      response.on('close', () => clearInterval(timer));
    };
    const asked = await answerOf(drip, { timeoutMs: 800 });
    expect(asked).toMatchObject({ outcome: 'failed', retryable: true, text: 'It took longer than 800 ms.' });
  });

  test('for a resolver that does not answer', async () => {
    const asked = await ask('http://slow.test/', { timeoutMs: 50, lookup: () => new Promise(() => undefined) });
    expect(asked).toMatchObject({ outcome: 'failed', retryable: true, text: 'It took longer than 50 ms.' });
  });
});

describe('an abort', () => {
  test.each([
    ['before the headers', ''],
    ['within the body', 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nsome'],
  ])('%s ends the call and the connection, with its own reason', async (_when, written) => {
    const abort = new AbortController();
    let closed: Promise<unknown> | undefined;
    const server = await startTcpServer((socket) => {
      closed = new Promise((resolve) => socket.on('close', resolve));
      socket.once('data', () => socket.write(written, () => abort.abort(new Error('the run was cancelled'))));
    });
    const asked = await askServer(server, {}, abort.signal);
    expect(asked.text).toBe('the run was cancelled');
    await closed;
  });

  test('that came before the call connects to nobody', async () => {
    const server = await startHttpServer((_request, response) => response.end());
    const asked = await askServer(server, {}, AbortSignal.abort(new Error('the run was cancelled')));
    expect(asked.text).toBe('the run was cancelled');
    expect(server.connections()).toBe(0);
  });
});
