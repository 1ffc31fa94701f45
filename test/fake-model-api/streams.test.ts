import { APIConnectionError } from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import { cutStream } from './samples.ts';
import { ask, askJson, askStream, errorOf, params, rich, start } from './sdk-calls.ts';

describe('streams that break', () => {
  test('end early, by a close or a reset', async () => {
    const fake = await start({ responses: [cutStream(rich, 3, 'close'), cutStream(rich, 3, 'reset')] });
    expect(await errorOf(askStream(fake))).toBeInstanceOf(Error);
    expect(await errorOf(askStream(fake))).toBeInstanceOf(Error);
    expect(fake.requests.map((request) => [request.status, request.answeredInFull])).toEqual([
      [200, false],
      [200, false],
    ]);
    expect(fake.bytesProduced).toBeGreaterThan(0);
  });

  test('hang with pings until the client leaves', async () => {
    const fake = await start({ responses: [{ ...cutStream(rich, 5, 'hang'), pings_every_ms: 5 }] });
    const client = new AbortController();
    const body = JSON.stringify({ ...params(ask), stream: true });
    const response = await fetch(`${fake.url}/v1/messages`, { method: 'POST', body, signal: client.signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let seen = '';
    while (!seen.includes('event: ping')) seen += (await reader?.read())?.value;
    client.abort();
    await expect.poll(() => fake.requests[0]?.aborted).toBe(true);
    expect(fake.requests[0]?.responseEndedAt).toBeGreaterThan(0);
  });

  test('or a connection that is reset before the headers is a connection error', async () => {
    const fake = await start({ responses: [{ connection: 'reset_before_headers' }] });
    expect(await errorOf(askStream(fake))).toBeInstanceOf(APIConnectionError);
    expect(fake.requests[0]).toMatchObject({ cutByServer: true, aborted: false });
  });

  test('given as events come as JSON to a client that wants no stream', async () => {
    const fake = await start({ responses: [cutStream(rich, 0, 'close'), cutStream(rich, 1, 'close')] });
    expect((await askJson(fake)).content).toEqual(rich.content);
    expect(await errorOf(askJson(fake))).toBeInstanceOf(APIConnectionError);
  });
});

describe('the layout of a stream', () => {
  const { sse_events } = cutStream(rich, 0, 'close');

  test.each([
    ['cut inside characters', { cut_every_bytes: 7 }],
    ['lines ended by CR LF', { line_end: '\r\n' } as const],
    [
      'raw frames between the events',
      { insert: [{ after: 0, raw: ': comment\n\nevent: ping\ndata: {"type":"ping"}\n\n' }] },
    ],
    ['delays', { delay_between_events_ms: 1, delay_before_headers_ms: 5 }],
  ])('%s does not change the message', async (_, layout) => {
    const fake = await start({ responses: [{ sse_events, ...layout }] });
    expect((await askStream(fake)).content).toEqual(rich.content);
  });

  test('may be given as bytes', async () => {
    const raw = sse_events.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join('');
    const chunks = [Buffer.from(raw).toString('base64')];
    const fake = await start({ responses: [{ sse_raw_base64_chunks_of: chunks, cut_every_bytes: 11 }] });
    expect((await askStream(fake)).content).toEqual(rich.content);
    expect(fake.requests[0]?.answeredInFull).toBe(true);
  });
});
