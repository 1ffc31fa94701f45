import { Buffer } from 'node:buffer';
import { lookup as systemLookup } from 'node:dns/promises';
import { z } from 'zod';
import type { ToolContent } from './content.ts';
import { type Deadline, withDeadline } from './deadline.ts';
import { DefinitionError, textProblem, wholeNumberProblem } from './definition-error.ts';
import { answerContent } from './http-answer.ts';
import { exchange } from './http-exchange.ts';
import { judge, type Lookup, readUrl, shown, type TargetRules } from './http-target.ts';
import { hostList, hostPortList } from './target-list.ts';
import { defineTool, type Tool, ToolError } from './tool.ts';

/** Whom `http_get` may ask, and what one request may cost. */
export interface HttpGetOptions {
  /** What the model calls it. Default `http_get`. */
  readonly name?: string;
  /** The only hosts that may be asked, redirects included. Default: every host with public addresses. */
  readonly hosts?: readonly string[];
  /** `host:port` of those that may have any address and any port, such as `wiki.internal:8080`. Default none. */
  readonly allowPrivate?: readonly string[];
  /** Of a body, after it is unpacked; the rest is not read. Default 1 MiB. */
  readonly maxBytes?: number;
  /** For the whole of it, redirects included. The other side may be silent for half of that. Default 20,000. */
  readonly timeoutMs?: number;
  /** Default 5. */
  readonly maxRedirects?: number;
  /** Default: the system's resolver. */
  readonly lookup?: Lookup;
}

/** More than a model can read, and little for a worker that runs a hundred of them. */
const DEFAULT_MAX_BYTES = 1_048_576;
/** Slow pages come in this time; the model had better go on without the others. */
const DEFAULT_TIMEOUT_MS = 20_000;
/** What real sites need: to HTTPS, to `www`, to a language, to the page, and one more. */
const DEFAULT_MAX_REDIRECTS = 5;
/** Between the tool's own end of time and the one of the attempt, so that the error says what took long. */
const MARGIN_MS = 5_000;
/** Those that carry on a GET. 304 and 300 leave the choice to a client that has one. */
const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

interface Limits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly maxRedirects: number;
}

/**
 * A tool that reads a URL over HTTP or HTTPS. It connects only to public addresses on port 80 or 443 and judges each hop,
 * every address of a name, and the very address that it connects to. Throws {@link DefinitionError} for bad options.
 */
export function createHttpGet(options: HttpGetOptions = {}): Tool {
  const {
    maxBytes = DEFAULT_MAX_BYTES,
    timeoutMs = DEFAULT_TIMEOUT_MS,
    maxRedirects = DEFAULT_MAX_REDIRECTS,
  } = options;
  const limits: Limits = { maxBytes, timeoutMs, maxRedirects };
  const name = options.name ?? 'http_get';
  const rules = rulesOf(name, options, limits);
  return defineTool({
    name,
    description:
      'Reads a public web page or file by its URL with a GET: text, JSON, XML and HTML as they are, images and PDF as such.',
    input: z.object({ url: z.string().min(1).describe('Full URL, such as "https://example.com/page"') }),
    effect: 'read',
    timeoutMs: timeoutMs + MARGIN_MS,
    run: ({ url }, { signal }) =>
      withDeadline(signal, timeoutMs, (deadline) => get(readUrl(url), { rules, limits, deadline })),
  });
}

interface Getting {
  readonly rules: TargetRules;
  readonly limits: Limits;
  readonly deadline: Deadline;
}

async function get(first: URL, { rules, limits, deadline }: Getting): Promise<ToolContent> {
  const { maxBytes, maxRedirects } = limits;
  const idleTimeoutMs = Math.ceil(limits.timeoutMs / 2);
  let url = first;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const addresses = await judge(url, rules);
    const response = await exchange(url, { addresses, idleTimeoutMs, deadline });
    try {
      const { location } = response.headers;
      const redirected = REDIRECT_STATUSES.includes(response.statusCode ?? 0) && location !== undefined;
      if (!redirected) return await answerContent(url, response, maxBytes);
      url = readUrl(utf8(location), url);
    } finally {
      response.destroy();
    }
  }
  throw new ToolError(`${shown(first.href)} redirects more than ${maxRedirects} times, at last to ${shown(url.href)}`);
}

/** A header in UTF-8, which Node reads as Latin-1. */
function utf8(header: string): string {
  return Buffer.from(header, 'latin1').toString();
}

function rulesOf(name: string, options: HttpGetOptions, limits: Limits): TargetRules {
  const hosts = options.hosts === undefined ? undefined : hostList(options.hosts);
  const allowPrivate = hostPortList(options.allowPrivate ?? []);
  const problems = [
    textProblem('name', name),
    ...(hosts?.problems ?? []),
    ...allowPrivate.problems,
    wholeNumberProblem('maxBytes', limits.maxBytes),
    wholeNumberProblem('timeoutMs', limits.timeoutMs),
    wholeNumberProblem('maxRedirects', limits.maxRedirects, 0),
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new DefinitionError(`tool ${JSON.stringify(name)}`, problems);
  const lookup = options.lookup ?? ((host: string) => systemLookup(host, { all: true }));
  return { hosts: hosts?.entries, allowPrivate: allowPrivate.entries, lookup };
}
