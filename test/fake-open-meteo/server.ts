import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A city that the fake knows. */
export interface FakeCity {
  readonly country: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** What the fake does with the next requests instead of answering well; the last one stays. */
type FakeFault =
  | { readonly type: 'none' }
  | { readonly type: 'status'; readonly status: number; readonly body?: string }
  | { readonly type: 'body'; readonly body: string }
  /** Waits for `release` before it answers. */
  | { readonly type: 'hold' }
  /** Cuts the connection. */
  | { readonly type: 'reset' };

/** A local server that speaks like Open-Meteo's geocoding and forecast services. */
export interface FakeOpenMeteo {
  readonly geocodingUrl: string;
  readonly forecastUrl: string;
  /** Paths with query of all requests, in order. */
  readonly requests: readonly string[];
  /** What becomes of the next requests, one each; the last holds from then on. */
  fail(...faults: readonly FakeFault[]): void;
  /** Resolves when the next request has arrived. */
  nextRequest(): Promise<void>;
  /** Answers all requests that are held. */
  release(): void;
  close(): Promise<void>;
}

const CITIES: Readonly<Record<string, FakeCity>> = {
  Seoul: { country: 'South Korea', latitude: 37.57, longitude: 126.98 },
  Paris: { country: 'France', latitude: 48.85, longitude: 2.35 },
  Tokyo: { country: 'Japan', latitude: 35.69, longitude: 139.69 },
};

/** Starts the fake on a free port of the loopback. Must be closed, or the process stays alive. */
export async function startFakeOpenMeteo(cities: Readonly<Record<string, FakeCity>> = CITIES): Promise<FakeOpenMeteo> {
  const requests: string[] = [];
  const waiting: (() => void)[] = [];
  const held: (() => void)[] = [];
  let faults: readonly FakeFault[] = [];
  const server = createServer((request, response) => {
    const url = request.url ?? '/';
    const [fault = { type: 'none' } as const, ...rest] = faults;
    if (rest.length > 0) faults = rest;
    if (fault.type === 'reset') response.destroy();
    else if (fault.type === 'hold') held.push(() => reply(response, goodAnswer(url, cities)));
    else reply(response, fault.type === 'none' ? goodAnswer(url, cities) : faultyAnswer(fault));
    requests.push(url);
    for (const resolve of waiting.splice(0)) resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    geocodingUrl: `${base}/search`,
    forecastUrl: `${base}/forecast`,
    requests,
    fail: (...next) => {
      faults = next;
    },
    nextRequest: () => new Promise((resolve) => waiting.push(resolve)),
    release: () => {
      for (const answer of held.splice(0)) answer();
    },
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

function reply(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

function faultyAnswer(fault: Extract<FakeFault, { type: 'status' | 'body' }>): Answer {
  if (fault.type === 'body') return { status: 200, body: fault.body };
  return { status: fault.status, body: fault.body ?? JSON.stringify({ error: true, reason: 'made to fail' }) };
}

function goodAnswer(url: string, cities: Readonly<Record<string, FakeCity>>): Answer {
  const { pathname, searchParams } = new URL(url, 'http://fake');
  if (pathname === '/v1/search') return { status: 200, body: JSON.stringify(searchAnswer(searchParams, cities)) };
  if (pathname !== '/v1/forecast') return faultyAnswer({ type: 'status', status: 404 });
  const latitude = Number(searchParams.get('latitude') ?? Number.NaN);
  if (Number.isNaN(latitude)) return faultyAnswer({ type: 'status', status: 400 });
  return { status: 200, body: JSON.stringify(forecastAnswer(latitude)) };
}

/** The real service leaves `results` out where it finds nothing. */
function searchAnswer(query: URLSearchParams, cities: Readonly<Record<string, FakeCity>>): unknown {
  const name = query.get('name') ?? '';
  const found = Object.entries(cities).filter(([city]) => city.toLowerCase() === name.toLowerCase());
  const results = found.map(([city, place], index) => ({ id: index + 1, name: city, ...place, population: 1_000_000 }));
  return { ...(results.length > 0 && { results }), generationtime_ms: 0.5 };
}

function forecastAnswer(latitude: number): unknown {
  return {
    latitude,
    timezone: 'GMT',
    current_units: { time: 'iso8601', temperature_2m: '°C', relative_humidity_2m: '%', wind_speed_10m: 'km/h' },
    current: {
      time: '2026-03-01T12:00',
      interval: 900,
      temperature_2m: 12.3,
      relative_humidity_2m: 60,
      wind_speed_10m: 8.4,
      weather_code: 61,
    },
  };
}
