import { errorLine } from './error-text.ts';
import { isFinalStatus } from './http-status.ts';
import { ToolError } from './tool.ts';

/** Whom a request is for, as errors name it, and what ends it early. */
export interface FetchJsonOptions {
  readonly service: string;
  readonly signal: AbortSignal;
}

/**
 * The JSON that a GET of `url` with `query` answers.
 * Throws {@link ToolError} where asking again cannot help (4xx), else an error that may be retried; both say what went wrong.
 */
export async function fetchJson(
  url: string,
  query: Readonly<Record<string, string>>,
  { service, signal }: FetchJsonOptions,
): Promise<unknown> {
  const target = new URL(url);
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
  let status: number;
  let body: string;
  try {
    const response = await fetch(target, { signal, headers: { accept: 'application/json' } });
    status = response.status;
    body = await response.text();
  } catch (error) {
    signal.throwIfAborted();
    const why = errorLine(error);
    throw new Error(`${service} at ${target.host} cannot be reached (${why}). Is this machine online?`, {
      cause: error,
    });
  }
  if (isFinalStatus(status)) {
    throw new ToolError(`${service} refused the request with HTTP ${status}: ${body.slice(0, 200)}`);
  }
  if (status !== 200) throw new Error(`${service} answered with HTTP ${status}.`);
  try {
    return JSON.parse(body) as unknown;
  } catch (error) {
    throw new Error(`${service} sent an answer that is not JSON.`, { cause: error });
  }
}
