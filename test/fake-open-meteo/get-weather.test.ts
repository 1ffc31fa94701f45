import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createGetWeather } from '../../src/tools/get-weather.ts';
import { createRegistry, type Execution } from '../../src/tools/registry.ts';
import type { ToolCall } from '../../src/tools/tool.ts';
import { type FakeOpenMeteo, startFakeOpenMeteo } from './server.ts';

let fake: FakeOpenMeteo;

beforeAll(async () => {
  fake = await startFakeOpenMeteo();
});
afterAll(() => fake.close());
beforeEach(() => fake.fail({ type: 'none' }));

const ignore = (): void => undefined;

function weatherIn(
  city: string,
  signal = new AbortController().signal,
  urls: Partial<FakeOpenMeteo> = {},
): Promise<Execution> {
  const call: ToolCall = {
    idempotencyKey: 'run/call_1',
    attempt: 1,
    signal,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    heartbeat: ignore,
    runId: 'run',
    callId: 'call_1',
    agent: 'demo',
  };
  const registry = createRegistry([createGetWeather({ ...fake, ...urls })]);
  return registry.execute('get_weather', { city }, call, 10_000);
}

function textOf({ content: [block] }: Execution): string {
  return block?.type === 'text' ? block.text : '';
}

test('the weather in a city, in words', async () => {
  const execution = await weatherIn('seoul');
  expect(execution.outcome).toBe('completed');
  expect(JSON.parse(textOf(execution))).toEqual({
    place: 'Seoul, South Korea',
    localTime: '2026-03-01T12:00',
    temperatureCelsius: 12.3,
    conditions: 'light rain',
    humidityPercent: 60,
    windKmPerHour: 8.4,
  });
  expect(fake.requests.at(-2)).toContain('/v1/search?name=seoul&count=1');
  expect(fake.requests.at(-1)).toContain('/v1/forecast?latitude=37.57&longitude=126.98');
});

test('a slow answer is waited for', async () => {
  fake.fail({ type: 'hold' }, { type: 'none' });
  const arrived = fake.nextRequest();
  const execution = weatherIn('Paris');
  await arrived;
  fake.release();
  expect((await execution).outcome).toBe('completed');
});

test('a city that nobody knows is told to the model and not asked for again', async () => {
  const execution = await weatherIn('Atlantis');
  expect(execution).toMatchObject({ outcome: 'failed', retryable: false });
  expect(textOf(execution)).toBe('No city named "Atlantis" was found.');
});

test.each([
  [{ type: 'status', status: 500 }, 'The weather service answered with HTTP 500.'],
  [{ type: 'status', status: 429 }, 'The weather service answered with HTTP 429.'],
  [
    { type: 'body', body: '{"results": [' },
    'The weather service sent an answer that is not JSON. (cause: SyntaxError: ',
  ],
  [
    { type: 'body', body: '{"results":[{"name":"X"}]}' },
    'sent an answer that cannot be read (at "results.0.latitude").',
  ],
  [{ type: 'reset' }, 'cannot be reached (TypeError: fetch failed (cause: '],
] as const)('%j may be tried again, and the error says what went wrong', async (fault, text) => {
  fake.fail(fault);
  const execution = await weatherIn('Seoul');
  expect(execution).toMatchObject({ outcome: 'failed', retryable: true });
  expect(textOf(execution)).toContain(text);
});

test('a forecast without the temperature may be tried again', async () => {
  fake.fail({ type: 'none' }, { type: 'body', body: '{"current":{"time":"now"}}' });
  const execution = await weatherIn('Seoul');
  expect(execution.retryable).toBe(true);
  expect(textOf(execution)).toContain('(at "current.temperature_2m")');
});

test('a refused request is final, with the reason of the service', async () => {
  fake.fail({ type: 'status', status: 400, body: '{"error":true,"reason":"bad name"}' });
  const execution = await weatherIn('Seoul');
  expect(execution.retryable).toBe(false);
  expect(textOf(execution)).toContain('HTTP 400: {"error":true,"reason":"bad name"}');
});

test('without a network one sentence says so', async () => {
  const gone = await startFakeOpenMeteo();
  await gone.close();
  const execution = await weatherIn('Seoul', undefined, { geocodingUrl: gone.geocodingUrl });
  expect(execution.retryable).toBe(true);
  expect(textOf(execution)).toMatch(
    /^The weather service at 127\.0\.0\.1:\d+ cannot be reached \(.*ECONNREFUSED.*Is this machine online\?/,
  );
});

test('an abort ends the request at once', async () => {
  fake.fail({ type: 'hold' });
  const controller = new AbortController();
  const arrived = fake.nextRequest();
  const execution = weatherIn('Seoul', controller.signal);
  await arrived;
  controller.abort(new Error('cancelled by the user'));
  expect(textOf(await execution)).toBe('cancelled by the user');
});
