// What every adapter promises of an answer, whatever its wire: real SDKs against strict fakes.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asking, collect, type Finished, failureOf, HI, resultsFor } from '../../test/adapters/contract-asks.ts';
import { KEY, type Said, WIRES, type WireUnderTest } from '../../test/adapters/wires.ts';
import { startWireFake, type WireFake } from '../../test/fake-openai-api/wire-fake.ts';
import { callsOf, textOf } from '../protocol/messages.ts';
import { NO_USAGE } from '../protocol/run.ts';

const BEGIN: Said = { begin: 'look', call: 0, id: 'id_a' };
/** Enough to show work that grows with the square of the pieces. */
const MANY = 10_000;

describe.each(WIRES)('$name', (under: WireUnderTest) => {
  let fake: WireFake;

  beforeEach(async () => {
    fake = await startWireFake(under.wire);
  });

  afterEach(async () => {
    await fake.close();
  });

  const { stream, ask } = asking(under, () => fake.url);

  describe('an answer', () => {
    it('without content is whole, and empty', async () => {
      fake.answer({ sse: under.stream([], 'stop') });
      expect(await ask()).toMatchObject({ type: 'finished', message: { content: [] }, stopReason: 'end_turn' });
    });

    it('is streamed as it comes, cut anywhere, and then whole', async () => {
      const said = ['Grü', 'ße ', '😀\u2028', ' “fin”'];
      fake.answer({
        sse: under.stream(
          said.map((text) => ({ text })),
          'stop',
        ),
        cutEveryBytes: 3,
      });
      const events = await collect(stream());
      const deltas = events.filter((event) => event.type === 'text_delta').map(({ text }) => text);
      const finished = events.at(-1) as Finished;
      expect(deltas).toEqual(said);
      expect(textOf(finished.message)).toBe(said.join(''));
      expect(events.filter(({ type }) => type === 'finished')).toHaveLength(1);
      expect(finished.model).toMatch(/-1$/);
    });

    it(`of ${MANY} pieces is whole`, async () => {
      fake.answer({
        sse: under.stream(
          Array.from({ length: MANY }, () => ({ text: 'ab ' })),
          'stop',
        ),
      });
      expect(textOf((await ask()).message)).toBe('ab '.repeat(MANY));
    });

    it('has the calls that it makes at once, each with its own input, however their pieces interleave', async () => {
      const begun: Said[] = [BEGIN, { begin: 'look', call: 1, id: 'id_b' }];
      const pieces = ['{"q":', '"C:\\', '\\te', 'mp\\u00', 'e9"}'].flatMap((piece, index): Said[] => [
        { call: 0, input: piece },
        { call: 1, input: ['{"q"', ':', '[1,', '{"a":null', '}]}'][index] ?? '' },
      ]);
      fake.answer({ sse: under.stream([{ text: 'Looking.' }, ...begun, ...pieces], 'calls') });
      const events = await collect(stream());
      const { message, stopReason } = events.at(-1) as Finished;
      expect(stopReason).toBe('tool_use');
      expect(callsOf(message)).toMatchObject([
        { callId: 'id_a', name: 'look', input: { q: 'C:\\temp\u00e9' } },
        { callId: 'id_b', name: 'look', input: { q: [1, { a: null }] } },
      ]);
      expect(callsOf(message).some(({ malformed }) => malformed !== undefined)).toBe(false);
    });

    it.each([[[]], [[{ call: 0, input: '' } as const]]])(
      'has calls without arguments as calls with none: %j',
      async (pieces) => {
        fake.answer({ sse: under.stream([BEGIN, ...pieces], 'calls') });
        const [call] = callsOf((await ask()).message);
        expect(call).toMatchObject({ name: 'look', input: {} });
        expect(call).not.toHaveProperty('malformed');
      },
    );

    it('cut by the output limit says so, inside a call too', async () => {
      fake.answer({ sse: under.stream([{ text: 'a' }], 'length') }, { sse: under.stream([BEGIN], 'length') });
      expect((await ask()).stopReason).toBe('max_tokens');
      expect((await ask()).stopReason).toBe('max_tokens');
    });

    it('that is refused is no answer', async () => {
      fake.answer({ sse: under.stream([], 'refusal') });
      expect((await ask()).stopReason).toMatch(/^(refusal|content_filter)$/);
    });

    it('with usage counts cached tokens once, and reasoning within the output; without it has none', async () => {
      fake.answer({ sse: under.stream([{ text: 'a' }], 'stop', under.usage) });
      fake.answer({ sse: under.stream([{ text: 'a' }], 'stop') });
      const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 4, cacheWriteTokens: 0, reasoningTokens: 2 };
      expect(await ask()).toMatchObject({ usage });
      expect(await ask()).toMatchObject({ usage: NO_USAGE });
    });

    it('with events and blocks of tomorrow is read, and they go back to where they came from', async () => {
      fake.answer({ sse: under.stream([BEGIN, { call: 0, input: '{"q":1}' }, { unknown: true }], 'calls') });
      const { message } = await ask();
      const known = callsOf(message).length;
      expect(known).toBe(1);
      expect(message.content.filter(({ type }) => type === 'opaque')).toHaveLength(1);
      fake.answer({ sse: under.stream([], 'stop') });
      await Promise.allSettled([ask({ messages: [HI, message, resultsFor(message)] })]); // a strict fake may refuse them
      expect(JSON.stringify(fake.requests.at(-1)?.body)).toMatch(/of_?tomorrow/i);
    });
  });

  if (under.inputs === 'in pieces') {
    it('shows what a model wrote in the place of an input, and sends a legal one back', async () => {
      fake.answer({ sse: under.stream([BEGIN, { call: 0, input: '{"q": "C:\\' }], 'calls') });
      const { message } = await ask();
      expect(callsOf(message)).toMatchObject([{ input: {}, malformed: '{"q": "C:\\' }]);
      fake.answer({ sse: under.stream([], 'stop') });
      await ask({ messages: [HI, message, resultsFor(message)] });
      expect(fake.rejections).toEqual([]);
    });
  }

  describe('an answer that breaks off', () => {
    it.each([
      ['without its end', { sse: under.stream([{ text: 'a' }], 'nothing') }, 'stream_incomplete'],
      ['in mid-stream', { sse: under.stream([{ text: 'a' }], 'nothing'), end: 'reset' }, 'connection'],
      ['before its headers', { connection: 'reset' }, 'connection'],
      ['with an error of its own', { sse: under.stream([{ text: 'a' }], 'overloaded') }, /overloaded|server_error/],
      ['with one, and holds the line', { sse: under.stream([], 'overloaded'), end: 'hang' }, /overloaded|server_error/],
    ] as const)('%s is worth another attempt, and is asked once', async (_, answer, kind) => {
      fake.answer(answer);
      const failure = await failureOf(collect(stream()));
      expect(failure).toMatchObject({ name: 'ModelError', kind: expect.stringMatching(kind), retryable: true });
      expect(fake.requests).toHaveLength(1);
    });

    it.each([
      ['an empty stream', { sse: '' }, 'bad_model_response'],
      ['an event that is no JSON', { sse: 'data: {"a\n\n' }, under.garbled],
      ['an event that is a list', { sse: 'data: []\n\n' }, 'bad_model_response'],
      ['JSON in place of a stream', { status: 200, body: '{"id":1}' }, 'bad_model_response'],
      [
        'a page of a proxy',
        { status: 200, body: `<p>${KEY}`, headers: { 'content-type': 'text/html' } },
        'bad_model_response',
      ],
    ] as const)('as %s is a bad response, worth another attempt', async (_, answer, kind) => {
      fake.answer(answer);
      const failure = await failureOf(collect(stream()));
      expect(failure).toMatchObject({ kind, retryable: true });
      expect(String(failure)).not.toContain('marker');
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
      [502, 'server_error', true],
      [503, /server_error|overloaded/, true],
      [504, 'timeout', true],
      [529, 'overloaded', true],
    ] as const)('%i is asked once, is %s, and tells all but the key', async (status, kind, retryable) => {
      const body = under.wire.toError(status, `Made up ${KEY}.`);
      fake.answer({ status, body, headers: { 'retry-after': '2', 'x-request-id': 'req_7' } });
      const failure = await failureOf(collect(stream()));
      expect(failure).toMatchObject({ kind: expect.stringMatching(kind), retryable, status, retryAfterMs: 2_000 });
      expect(String(failure)).toMatch(/Made up \[key\].*req_7/);
      expect(String(failure)).not.toContain('marker');
      expect(fake.requests).toHaveLength(1);
    });

    it('of a proxy is told by its words', async () => {
      fake.answer({ status: 502, body: '<h1>Bad gateway</h1>', headers: { 'content-type': 'text/html' } });
      const failure = await failureOf(collect(stream()));
      expect(failure).toMatchObject({ kind: 'server_error', message: expect.stringContaining('Bad gateway') });
    });

    it('for a conversation that is too long is an overflow', async () => {
      fake.answer(under.overflow);
      expect(await failureOf(collect(stream()))).toMatchObject({ kind: 'context_overflow', retryable: false });
    });
  });

  describe('an abort', () => {
    const reason = new Error('enough');
    const stopped = { kind: 'user_cancelled', retryable: false, cause: reason };

    it('that came before sends nothing', async () => {
      expect(await failureOf(collect(stream({}, AbortSignal.abort(reason))))).toMatchObject(stopped);
      expect(fake.requests).toHaveLength(0);
    });

    it('before the headers closes the socket', async () => {
      fake.answer({ connection: 'silent' });
      const controller = new AbortController();
      const failure = failureOf(collect(stream({}, controller.signal)));
      const { closed } = await fake.arrived(0);
      controller.abort(reason);
      await closed;
      expect(await failure).toMatchObject(stopped);
    });

    it.each(['while the next event is awaited', 'while nobody reads'])(
      'in mid-stream, %s, closes the socket',
      async (how) => {
        fake.answer({ sse: under.stream([{ text: 'a' }], 'nothing'), end: 'hang' });
        const controller = new AbortController();
        const events = stream({}, controller.signal)[Symbol.asyncIterator]();
        for (let next = await events.next(); next.value?.type !== 'text_delta'; ) next = await events.next();
        const waiting = how === 'while nobody reads' ? undefined : failureOf(events.next());
        controller.abort(reason);
        await (await fake.arrived(0)).closed;
        expect(await (waiting ?? failureOf(events.next()))).toMatchObject(stopped);
      },
    );

    it('is not needed to close the socket of a reader who leaves', async () => {
      fake.answer({ sse: under.stream([{ text: 'a' }], 'nothing'), end: 'hang' });
      for await (const { type } of stream()) if (type === 'text_delta') break;
      await (await fake.arrived(0)).closed;
    });
  });
});
