// What every adapter promises, whatever its wire: real SDKs against strict fakes.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KEY, type Said, WIRES, type WireUnderTest } from '../../test/adapters/wires.ts';
import { startWireFake, type WireFake } from '../../test/fake-openai-api/wire-fake.ts';
import { type AssistantMessage, callsOf, type Message, textOf, type UserBlock } from '../protocol/messages.ts';
import { NO_USAGE } from '../protocol/run.ts';
import type { ModelEvent, ModelRequest } from './model-adapter.ts';

type Finished = Extract<ModelEvent, { type: 'finished' }>;

const NEVER = new AbortController().signal;
const HI: Message = { role: 'user', content: [{ type: 'text', text: 'hi' }] };
const LOOK = { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: { q: {} } } };
const REQUEST: ModelRequest = {
  model: 'model-3',
  instructions: 'Be brief.',
  tools: [LOOK],
  messages: [HI],
  maxOutputTokens: 64_000,
};
const BEGIN: Said = { begin: 'look', call: 0, id: 'id_a' };
/** Enough to show work that grows with the square of the pieces. */
const MANY = 10_000;

async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail('nothing was thrown'),
    (error: unknown) => error,
  );
}

function resultsFor(message: AssistantMessage): Message {
  const content: UserBlock[] = callsOf(message).map(({ callId, input }) => {
    return { type: 'result', callId, content: [{ type: 'text', text: `found ${JSON.stringify(input)}` }] };
  });
  return { role: 'user', content };
}

describe.each(WIRES)('$name', (under: WireUnderTest) => {
  let fake: WireFake;

  beforeEach(async () => {
    fake = await startWireFake(under.wire);
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await fake.close();
  });

  function stream(request: Partial<ModelRequest> = {}, signal = NEVER): AsyncIterable<ModelEvent> {
    return under.create(fake.url, KEY).stream({ ...REQUEST, ...request }, signal);
  }

  async function ask(request: Partial<ModelRequest> = {}): Promise<Finished> {
    return (await collect(stream(request))).at(-1) as Finished;
  }

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

    it('with usage counts cached tokens once, and without has none', async () => {
      fake.answer({ sse: under.stream([{ text: 'a' }], 'stop', under.usage) });
      fake.answer({ sse: under.stream([{ text: 'a' }], 'stop') });
      const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 4, cacheWriteTokens: 0 };
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
    ] as const)('%s is worth another attempt, and is asked once', async (_, answer, kind) => {
      fake.answer(answer);
      const failure = await failureOf(collect(stream()));
      expect(failure).toMatchObject({ name: 'ModelError', kind: expect.stringMatching(kind), retryable: true });
      expect(fake.requests).toHaveLength(1);
    });

    it.each([
      ['an empty stream', { sse: '' }],
      ['an event that is no JSON', { sse: 'data: {"a\n\n' }],
      ['an event that is a list', { sse: 'data: []\n\n' }],
      ['JSON in place of a stream', { status: 200, body: '{"id":1}' }],
      ['a page of a proxy', { status: 200, body: `<p>${KEY}`, headers: { 'content-type': 'text/html' } }],
    ] as const)('as %s is a bad response, worth another attempt', async (_, answer) => {
      fake.answer(answer);
      const failure = await failureOf(collect(stream()));
      expect(failure).toMatchObject({ kind: 'bad_model_response', retryable: true });
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

  describe('a request', () => {
    it.each([undefined, ''])('without a key (%j) is refused before it is sent', async (apiKey) => {
      vi.stubEnv(under.keyVariable ?? '', 'other-key');
      const failure = await failureOf(collect(under.create(fake.url, apiKey).stream(REQUEST, NEVER)));
      const message = `${under.keyVariable} is not set.`;
      expect(failure).toMatchObject({ kind: 'auth', retryable: false, message });
      expect(fake.requests).toHaveLength(0);
    });

    it('goes where and as whom it was told, whatever the environment says', async () => {
      for (const name of [
        'OPENAI_API_KEY',
        'OPENAI_ADMIN_KEY',
        'OPENAI_ORG_ID',
        'OPENAI_PROJECT_ID',
        'GEMINI_API_KEY',
      ]) {
        vi.stubEnv(name, 'other-word');
      }
      vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:1');
      vi.stubEnv('GOOGLE_GEMINI_BASE_URL', 'http://127.0.0.1:1');
      vi.stubEnv('GOOGLE_GENAI_USE_VERTEXAI', 'true');
      vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'authorization: other-word\nx-other: other-word');
      fake.answer({ sse: under.stream([{ text: 'a' }], 'stop') });
      await collect(stream());
      expect(JSON.stringify(fake.requests[0]?.headers)).toContain(KEY);
      expect(JSON.stringify(fake.requests[0]?.headers)).not.toContain('other-word');
    });

    it('is the same bytes for the same conversation, and well-formed', async () => {
      fake.answer({ sse: under.stream([{ text: 'a' }], 'stop') }, { sse: under.stream([{ text: 'a' }], 'stop') });
      const broken: Message = { role: 'user', content: [{ type: 'text', text: 'half \ud83d' }] };
      await ask({ messages: [broken] });
      await ask({ messages: [broken] });
      expect(JSON.stringify(fake.requests[1]?.body)).toBe(JSON.stringify(fake.requests[0]?.body));
      expect(JSON.stringify(fake.requests[0]?.body)).toContain('half \ufffd');
    });

    it.each(['model-3', 'gemini-2.5-flash'])(
      'for an answer in a schema says so, beside tools too (%s)',
      async (model) => {
        const output = { type: 'object', properties: { marked_field: { type: 'string' } } };
        fake.answer({ sse: under.stream([{ text: '{}' }], 'stop') }, { sse: under.stream([{ text: '{}' }], 'stop') });
        await ask({ model, output });
        await ask({ model, output, tools: [] });
        expect(fake.rejections).toEqual([]);
        for (const { body } of fake.requests) expect(JSON.stringify(body)).toContain('marked_field');
      },
    );

    it('takes the results of its own calls back, with all that the model thought', async () => {
      fake.answer({ status: 200, body: under.reasoned }, { sse: under.stream([{ text: 'Done.' }], 'stop') });
      const { message } = await ask();
      expect(callsOf(message).map(({ input }) => input)).toEqual([{ q: 'a' }, { q: 'b' }]);
      const finished = await ask({ messages: [HI, message, resultsFor(message)] });
      expect(fake.rejections).toEqual([]);
      expect(textOf(finished.message)).toBe('Done.');
    });
  });

  describe.each(WIRES.filter(({ name }) => name !== under.name))('a conversation that began on $name', (other) => {
    it('is valid here, with every call answered and nothing opaque of the other', async () => {
      const before = await startWireFake(other.wire, { status: 200, body: other.reasoned });
      const begun = (await collect(other.create(before.url, KEY).stream(REQUEST, NEVER))).at(-1) as Finished;
      await before.close();
      fake.answer({ sse: under.stream([{ text: 'Done.' }], 'stop') });
      const pictures: Message = { role: 'user', content: [IMAGE, PDF, { type: 'text', text: 'And these?' }] };
      const messages = [HI, begun.message, withImage(resultsFor(begun.message)), SAID, pictures];
      await ask({ messages });
      expect(fake.rejections).toEqual([]);
      const body = JSON.stringify(fake.requests[0]?.body);
      expect(body).not.toMatch(/Two look-ups|ZW5j|c2ln/);
      expect(body).toContain('found {');
      expect(body).toContain(IMAGE.data);
    });
  });
});

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const IMAGE = { type: 'image', mediaType: 'image/png', data: PNG } as const;
const PDF = { type: 'document', mediaType: 'application/pdf', data: 'JVBERi0xLjQ=', title: 'a.pdf' } as const;
const SAID: Message = { role: 'assistant', content: [{ type: 'text', text: 'Seen.' }] };

function withImage(results: Message): Message {
  const [first, ...rest] = results.content as readonly UserBlock[];
  if (first?.type !== 'result') return expect.fail('there is no result');
  return { role: 'user', content: [{ ...first, content: [...first.content, IMAGE] }, ...rest] };
}
