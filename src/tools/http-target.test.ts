import type { LookupAddress } from 'node:dns';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judge, type Lookup, readUrl, type TargetRules } from './http-target.ts';

const PUBLIC: LookupAddress = { address: '93.184.215.14', family: 4 };

function rules(parts: Partial<TargetRules> = {}): TargetRules {
  return { hosts: undefined, allowPrivate: new Set(), lookup: answering('93.184.215.14'), ...parts };
}

function answering(...addresses: string[]): Lookup {
  return () => Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
}

async function judged(text: string, parts?: Partial<TargetRules>): Promise<readonly LookupAddress[]> {
  return judge(readUrl(text), rules(parts));
}

const refused = (text: RegExp) => expect.objectContaining({ name: 'ToolError', message: expect.stringMatching(text) });

describe('a URL is refused', () => {
  test.each([
    ['file:///etc/hostname', /the scheme file: is not/],
    ['ftp://example.com/', /the scheme ftp: is not/],
    ['gopher://127.0.0.1:6379/_INFO', /the scheme gopher: is not/],
    ['data:text/plain,hello', /the scheme data: is not/],
    ['javascript:alert(1)', /the scheme javascript: is not/],
    ['ws://example.com/', /the scheme ws: is not/],
    ['example.com/page', /not a full URL/],
    ['http://', /not a full URL/],
    ['http://256.1.1.1/', /not a full URL/],
    ['http://1.2.3.4.5/', /not a full URL/],
    ['http://[fe80::1%25eth0]/', /not a full URL/],
    ['http://exa mple.com/', /not a full URL/],
    ['http://user:secret@example.com/', /user name or password/],
    ['http://user@example.com/', /user name or password/],
    ['http://example.com@127.0.0.1/', /user name or password/],
    ['http://example.com:22/', /port 22 is not 80 or 443/],
    ['http://example.com:6379/', /port 6379 is not 80 or 443/],
    ['https://example.com:8443/', /port 8443 is not 80 or 443/],
    ['http://127.0.0.1/', /127\.0\.0\.1, which is not public \(loopback\)/],
    ['http://127.0.0.1:8080/', /port 8080/],
    ['http://10.0.0.1/', /10\.0\.0\.1, which is not public \(private\)/],
    ['http://169.254.169.254/latest/meta-data/', /link-local/],
    ['http://0.0.0.0/', /unspecified/],
    ['http://[::1]/', /::1, which is not public \(loopback\)/],
    ['http://[::]/', /unspecified/],
    ['http://[::ffff:127.0.0.1]/', /IPv4-mapped/],
    ['http://[0:0:0:0:0:ffff:7f00:1]/', /IPv4-mapped/],
    ['http://[64:ff9b::169.254.169.254]/', /NAT64/],
    ['http://[2002:a00:1::]/', /6to4/],
    ['http://[fd00:ec2::254]/', /unique-local/],
  ])('%s', async (text, why) => {
    await expect(judged(text)).rejects.toEqual(refused(why));
  });

  test.each([
    ['decimal', 'http://134744072/'],
    ['octal', 'http://010.010.010.010/'],
    ['hexadecimal', 'http://0x08080808/'],
    ['short', 'http://8.8.2056/'],
    ['full-width', 'http://８.8.8.8/'],
    ['percent-encoded', 'http://%38.8.8.8/'],
    ['with a dot at the end', 'http://8.8.8.8./'],
    ['without slashes', 'http:8.8.8.8/'],
    ['with backslashes', 'http:\\\\8.8.8.8\\'],
  ])('a public address in a spelling that hides it, too: %s', async (_spelling, text) => {
    await expect(judged(text)).rejects.toEqual(refused(/must be spelled 8\.8\.8\.8/));
  });
});

describe('a host is judged by all its addresses', () => {
  test('one address that is not public forbids all', async () => {
    const lookup = answering('93.184.215.14', '::1', '1.1.1.1');
    await expect(judged('http://example.com/', { lookup })).rejects.toEqual(
      refused(
        /Refused to ask http:\/\/example\.com\/: example\.com has the address ::1, which is not public \(loopback\)/,
      ),
    );
  });

  test('public addresses are given as they were found', async () => {
    const lookup = answering('93.184.215.14', '2606:4700:4700::1111');
    expect(await judged('https://example.com/', { lookup })).toEqual([
      PUBLIC,
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
  });

  test('a public address in the URL needs no look-up', async () => {
    const lookup: Lookup = () => Promise.reject(new Error('looked up'));
    expect(await judged('http://1.1.1.1:443/', { lookup })).toEqual([{ address: '1.1.1.1', family: 4 }]);
    expect(await judged('http://[2606:4700:4700::1111]/', { lookup })).toEqual([
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
  });

  test('a name that cannot be resolved may be tried again', async () => {
    const lookup: Lookup = () => Promise.reject(new Error('getaddrinfo EAI_AGAIN example.com'));
    const failure = expect.objectContaining({ name: 'Error', message: expect.stringContaining('EAI_AGAIN') });
    await expect(judged('http://example.com/', { lookup })).rejects.toEqual(failure);
    await expect(judged('http://example.com/', { lookup: answering() })).rejects.toThrow('has no address');
  });
});

describe('the lists of the operator', () => {
  test('a host that is not on the list is refused, by whatever it is like', async () => {
    const hosts = new Set(['example.com']);
    expect(await judged('http://EXAMPLE.com/', { hosts })).toEqual([PUBLIC]);
    for (const host of [
      'www.example.com',
      'example.com.',
      'example.com.evil.test',
      'evilexample.com',
      '93.184.215.14',
    ]) {
      await expect(judged(`http://${host}/`, { hosts })).rejects.toEqual(refused(/is not on the list of hosts/));
    }
  });

  test('a host that is on the list is judged by its addresses all the same', async () => {
    const parts = { hosts: new Set(['example.com']), lookup: answering('10.0.0.1') };
    await expect(judged('http://example.com/', parts)).rejects.toEqual(refused(/private/));
  });

  test('what may be private is one host with one port', async () => {
    const parts = { allowPrivate: new Set(['wiki.internal:8080', '[::1]:80']), lookup: answering('10.0.0.1') };
    expect(await judged('http://wiki.internal:8080/', parts)).toEqual([{ address: '10.0.0.1', family: 4 }]);
    expect(await judged('http://[0:0::1]/', parts)).toEqual([{ address: '::1', family: 6 }]);
    await expect(judged('http://wiki.internal/', parts)).rejects.toEqual(refused(/private/));
    await expect(judged('http://wiki.internal:8081/', parts)).rejects.toEqual(refused(/port 8081/));
    await expect(judged('http://10.0.0.1:8080/', parts)).rejects.toEqual(refused(/port 8080/));
  });
});

describe('where an answer redirects to', () => {
  const base = new URL('https://example.com/a/b?c#d');

  test.each([
    ['/x', 'https://example.com/x'],
    ['x', 'https://example.com/a/x'],
    ['?y', 'https://example.com/a/b?y'],
    ['//www.example.com/', 'https://www.example.com/'],
    ['https://1.1.1.1/', 'https://1.1.1.1/'],
  ])('%s is read from the URL that answered', (location, url) => {
    expect(readUrl(location, base).href).toBe(url);
  });

  test.each([
    ['file:///etc/passwd', /the scheme file:/],
    ['http://example.com/a', /redirects to it from HTTPS to plain HTTP/],
    ['//0x08080808/', /must be spelled 8\.8\.8\.8/],
    ['\\\\134744072/', /must be spelled 8\.8\.8\.8/],
    ['//user:secret@example.com/', /user name or password/],
    ['https://[', /not a full URL/],
  ])('%s is refused', (location, why) => {
    expect(() => readUrl(location, base)).toThrow(refused(why));
  });

  test('an address redirects within itself, and from HTTP to HTTPS', () => {
    expect(readUrl('/x', new URL('http://1.1.1.1/')).href).toBe('http://1.1.1.1/x');
    expect(readUrl('https://example.com/', new URL('http://example.com/')).protocol).toBe('https:');
  });
});

describe('random addresses that are not public', () => {
  const octet = fc.nat(255);
  const notPublicIpv4 = fc.oneof(
    fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
    fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
    fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
    fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
  );

  test('are refused in every spelling, and never looked up', async () => {
    const lookup: Lookup = () => Promise.reject(new Error('looked up'));
    await fc.assert(
      fc.asyncProperty(notPublicIpv4, fc.constantFrom('http', 'https'), async (octets, scheme) => {
        for (const host of spellings(octets)) {
          await expect(judged(`${scheme}://${host}/`, { lookup })).rejects.toEqual(refused(/^Refused to ask/));
        }
      }),
    );
  });

  test('are refused when a name has them', async () => {
    await fc.assert(
      fc.asyncProperty(notPublicIpv4, async (octets) => {
        const lookup = answering(octets.join('.'));
        await expect(judged('http://example.com/', { lookup })).rejects.toEqual(refused(/not public/));
      }),
    );
  });
});

/** An IPv4 address in all forms that some parser takes for it. */
function spellings([a, b, c, d]: readonly [number, number, number, number]): string[] {
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const dotted = `${a}.${b}.${c}.${d}`;
  const hex = (value: number) => value.toString(16);
  const words = `${hex(a * 256 + b)}:${hex(c * 256 + d)}`;
  const octal = (value: number) => `0${value.toString(8)}`;
  return [
    dotted,
    `${dotted}.`,
    String(number),
    `0x${hex(number)}`,
    octal(number),
    [a, b, c, d].map(octal).join('.'),
    [a, b, c, d].map((value) => `0x${hex(value)}`).join('.'),
    `0x${hex(a)}.${octal(b)}.${c * 256 + d}`,
    `${a}.${b * 65_536 + c * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    dotted.replace(/\d/g, (digit) => `%3${digit}`),
    dotted.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    dotted.replaceAll('.', '。'),
    `[::${dotted}]`,
    `[::ffff:${dotted}]`,
    `[::ffff:${words}]`,
    `[::ffff:0:${words}]`,
    `[64:ff9b::${dotted}]`,
    `[64:ff9b:1::${words}]`,
    `[2002:${words}::1]`,
    `[2001:0:${words}::1]`,
  ];
}
