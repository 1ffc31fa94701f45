import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { notPublic } from './address-rules.ts';

describe('an address that is not public is told by its range', () => {
  test.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['10.0.0.1', 'private'],
    ['10.255.255.255', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.0.1', 'private'],
    ['169.254.169.254', 'link-local'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.100.100.200', 'carrier-grade NAT'],
    ['100.127.255.255', 'carrier-grade NAT'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.250', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['192.0.0.192', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['198.51.100.7', 'reserved'],
    ['203.0.113.9', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['192.88.99.1', 'reserved'],
    ['168.63.129.16', 'cloud-internal'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['fc00::1', 'unique-local'],
    ['fd00:ec2::254', 'unique-local'],
    ['ff02::1', 'multicast'],
    ['fec0::1', 'deprecatedSiteLocal'],
    ['::ffff:127.0.0.1', 'IPv4-mapped'],
    ['::ffff:8.8.8.8', 'IPv4-mapped'],
    ['::ffff:0:127.0.0.1', 'IPv4-translated'],
    ['::127.0.0.1', 'IPv4-mapped'],
    ['::7f00:1', 'not given out for the internet'],
    ['64:ff9b::7f00:1', 'NAT64'],
    ['64:ff9b::8.8.8.8', 'NAT64'],
    ['64:ff9b:1::a00:1', 'NAT64'],
    ['2002:7f00:1::1', '6to4'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'teredo'],
    ['2001:db8::1', 'reserved'],
    ['3fff::1', 'reserved'],
    ['100::1', 'discard'],
    ['5f00::1', 'segmentRouting'],
    ['4000::1', 'not given out for the internet'],
    ['e000::1', 'not given out for the internet'],
    ['010.0.0.1', 'not an IP address'],
    ['127.1', 'not an IP address'],
    ['localhost', 'not an IP address'],
    ['', 'not an IP address'],
  ])('%s: %s', (address, rule) => {
    expect(notPublic(address)).toBe(rule);
  });
});

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
])('%s is public', (address) => {
  expect(notPublic(address)).toBeUndefined();
});

test('no IPv6 address that carries an IPv4 address in a known form is public', () => {
  const forms: readonly ((words: string) => string)[] = [
    (words) => `::${words}`,
    (words) => `::ffff:${words}`,
    (words) => `::ffff:0:${words}`,
    (words) => `64:ff9b::${words}`,
    (words) => `64:ff9b:1::${words}`,
    (words) => `2002:${words}::1`,
    (words) => `2001:0:${words}::1`,
  ];
  const word = fc.nat(0xffff).map((value) => value.toString(16));
  fc.assert(
    fc.property(fc.constantFrom(...forms), word, word, (form, high, low) => {
      expect(notPublic(form(`${high}:${low}`))).toBeTypeOf('string');
    }),
  );
});
