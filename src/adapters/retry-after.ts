/** Headers as `fetch` gives them, or anything that answers by lower-case name. */
export interface HeaderReader {
  get(name: string): string | null;
}

/** A provider that asks for more would hold the run longer than a person waits; the next attempt asks again. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

/**
 * How long the provider asks to wait, in ms, between 0 and 5 minutes.
 * Reads `retry-after-ms`, and `retry-after` in seconds or as an HTTP date, which counts
 * from the answer's own `date`, else from `nowMs`. Undefined where there is no usable header.
 */
export function retryAfterMs(headers: HeaderReader, nowMs: number): number | undefined {
  const asked = number(headers.get('retry-after-ms')) ?? waitOf(headers, nowMs);
  if (asked === undefined) return undefined;
  return Math.min(Math.max(Math.ceil(asked), 0), MAX_RETRY_AFTER_MS);
}

function waitOf(headers: HeaderReader, nowMs: number): number | undefined {
  const header = headers.get('retry-after');
  if (header === null) return undefined;
  const seconds = number(header);
  if (seconds !== undefined) return seconds * 1_000;
  const until = Date.parse(header);
  if (Number.isNaN(until)) return undefined;
  // By the provider's own clock where it tells it: ours may be wrong.
  const now = Date.parse(headers.get('date') ?? '');
  return until - (Number.isNaN(now) ? nowMs : now);
}

function number(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const value = Number(header);
  return Number.isFinite(value) ? value : undefined;
}
