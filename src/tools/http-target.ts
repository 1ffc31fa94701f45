import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { notPublic } from './address-rules.ts';
import { errorLine } from './error-text.ts';
import { ToolError } from './tool.ts';

/** Finds all addresses of a host name. */
export type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

/** Whom a tool may ask. */
export interface TargetRules {
  /** Host names in lower case; undefined means every host. */
  readonly hosts: ReadonlySet<string> | undefined;
  /** `host:port` of those that may have any address and port. */
  readonly allowPrivate: ReadonlySet<string>;
  readonly lookup: Lookup;
}

/** Ports of the web. Others belong to services that may take an HTTP request for something else. */
const WEB_PORTS: readonly string[] = ['80', '443'];
/** Of a URL in an error. The model knows the rest. */
const MAX_SHOWN_CHARS = 300;

/**
 * The URL that a text or the `Location` of an answer from `base` means.
 * Throws {@link ToolError} for other schemes, a name or password, a spelling that hides the address, and HTTPS left for HTTP.
 */
export function readUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) {
    throw new ToolError(`${shown(text)} is not a full URL. Use one such as https://example.com/page`);
  }
  const url = new URL(text, base);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refusal(url, `the scheme ${url.protocol} is not http: or https:`);
  }
  if (url.username !== '' || url.password !== '') throw refusal(url, 'it has a user name or password in it');
  if (base?.protocol === 'https:' && url.protocol === 'http:') {
    throw refusal(url, `${shown(base.href)} redirects to it from HTTPS to plain HTTP`);
  }
  if (isIP(url.hostname) === 4 && url.hostname !== base?.hostname && url.hostname !== spelledHost(text)) {
    throw refusal(url, `the address must be spelled ${url.hostname}`);
  }
  return url;
}

/** The addresses to connect to, each of them judged. Throws {@link ToolError} where the rules forbid the host or any address. */
export async function judge(url: URL, rules: TargetRules): Promise<readonly LookupAddress[]> {
  const { hosts, allowPrivate, lookup } = rules;
  const host = url.hostname;
  if (hosts !== undefined && !hosts.has(host)) {
    throw refusal(url, `${host} is not on the list of hosts: ${[...hosts].join(', ')}`);
  }
  const port = portOf(url);
  if (allowPrivate.has(`${host}:${port}`)) return addressesOf(host, lookup);
  if (!WEB_PORTS.includes(port)) throw refusal(url, `port ${port} is not 80 or 443`);
  const addresses = await addressesOf(host, lookup);
  // One forbidden address among public ones is how a rebinding host looks: then none of them is trusted.
  for (const { address } of addresses) {
    const rule = notPublic(address);
    if (rule !== undefined) throw refusal(url, `${host} has the address ${address}, which is not public (${rule})`);
  }
  return addresses;
}

/** The port that a URL means, given or not. */
export function portOf(url: URL): string {
  if (url.port !== '') return url.port;
  return url.protocol === 'https:' ? '443' : '80';
}

/** A URL or text as an error shows it. */
export function shown(text: string): string {
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS)}…`;
}

async function addressesOf(host: string, lookup: Lookup): Promise<readonly LookupAddress[]> {
  const literal = host.replace(/^\[|\]$/g, '');
  const family = isIP(literal);
  if (family !== 0) return [{ address: literal, family }];
  const addresses = await lookup(host).catch((error: unknown) => {
    throw new Error(`The host ${shown(host)} cannot be resolved (${errorLine(error)}).`, { cause: error });
  });
  if (addresses.length === 0) throw new Error(`The host ${shown(host)} has no address.`);
  return addresses;
}

/** The host as it stands in the text, before decimal, octal, hexadecimal, short and escaped spellings are read. */
function spelledHost(text: string): string | undefined {
  return /^\s*(?:https?:)?\/\/([^/?#\\:]*)/i.exec(text)?.[1];
}

function refusal(url: URL, why: string): ToolError {
  return new ToolError(`Refused to ask ${shown(url.href)}: ${why}.`);
}
