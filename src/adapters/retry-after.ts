/** Headers as `fetch` gives them, or anything that answers by lower-case name. */
export interface HeaderReader {
  get(name: string): string | null;
}

/** A provider that asks for more would hold the run longer than a person waits; the next attempt asks again. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

/**
 * How long the provider asks to wait, in ms from `nowMs`, between 0 and 5 minutes.
 * Reads `retry-after-ms`, and `retry-after` in seconds or as an HTTP date. Undefined where there is no usable header.
 */
export function retryAfterMs(headers: HeaderReader, nowMs: number): number | undefined {
  const asked = number(headers.get('retry-after-ms')) ?? waitOf(headers.get('retry-after'), nowMs);
  if (asked === undefined) return undefined;
  return Math.min(Math.max(Math.ceil(asked), 0), MAX_RETRY_AFTER_MS);
}

function waitOf(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const seconds = number(header);
  if (seconds !== undefined) return seconds * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : date - nowMs;
}

function number(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const value = Number(header);
  return Number.isFinite(value) ? value : undefined;
}
