import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The IPv6 addresses that are given out for the internet. Whatever else there is, known or not, is not public. */
const IPV6_INTERNET = ipaddr.IPv6.parseCIDR('2000::/3');
/** Addresses of public ranges that answer only inside a cloud, and tell its secrets there: Azure's metadata host. */
const CLOUD_INTERNAL: readonly string[] = ['168.63.129.16'];
/** Ranges whose name in `ipaddr.js` says little to a reader. */
const RANGE_WORDS: Readonly<Record<string, string>> = {
  carrierGradeNat: 'carrier-grade NAT',
  ipv4Mapped: 'IPv4-mapped',
  linkLocal: 'link-local',
  rfc6052: 'NAT64',
  rfc6145: 'IPv4-translated',
  uniqueLocal: 'unique-local',
};

/**
 * Why an address is not one of the public internet, in a word or two, or undefined where it is one.
 * What carries an IPv4 address inside (mapped, NAT64, 6to4, Teredo) counts as not public, whatever it carries.
 */
export function notPublic(address: string): string | undefined {
  // The parser also takes octal and short spellings, which others read differently. No resolver gives them.
  if (isIP(address) === 0) return 'not an IP address';
  const parsed = ipaddr.parse(address);
  const range: string = parsed.range();
  if (range !== 'unicast') return RANGE_WORDS[range] ?? range;
  if (CLOUD_INTERNAL.includes(address)) return 'cloud-internal';
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(IPV6_INTERNET)) return 'not given out for the internet';
  return undefined;
}
