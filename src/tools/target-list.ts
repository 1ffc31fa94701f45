import { printed } from './definition-error.ts';
import { portOf } from './http-target.ts';

/** A list of hosts in the form that URLs are compared with, and what is wrong with it. */
export interface TargetList {
  readonly entries: ReadonlySet<string>;
  readonly problems: readonly string[];
}

/** Reads host names: each becomes what `URL.hostname` is for it. */
export function hostList(hosts: readonly string[]): TargetList {
  return listOf(
    hosts,
    (entry) => {
      if (hasPort(entry)) return undefined;
      return bareUrl(entry)?.hostname;
    },
    'hosts must have host names such as "example.com"',
  );
}

/** Reads `host:port` pairs. */
export function hostPortList(pairs: readonly string[]): TargetList {
  return listOf(
    pairs,
    (entry) => {
      const url = hasPort(entry) ? bareUrl(entry) : undefined;
      return url && `${url.hostname}:${portOf(url)}`;
    },
    'allowPrivate must have host:port pairs such as "wiki.internal:8080"',
  );
}

function listOf(texts: readonly string[], read: (text: string) => string | undefined, rule: string): TargetList {
  const entries = texts.map((text) => ({ text, entry: read(text) }));
  return {
    entries: new Set(entries.flatMap(({ entry }) => entry ?? [])),
    problems: entries.flatMap(({ text, entry }) => (entry === undefined ? `${rule}, not ${printed(text)}` : [])),
  };
}

function hasPort(text: string): boolean {
  return /:\d+$/.test(text);
}

/** The URL of a text that is a host and perhaps a port, and nothing else. */
function bareUrl(text: string): URL | undefined {
  if (/[/?#@\\\s]/.test(text) || !URL.canParse(`http://${text}`)) return undefined;
  return new URL(`http://${text}`);
}
