// Whom the tool connects to, seen from the servers that it must not reach.

import { Buffer } from 'node:buffer';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Lookup } from '../../src/tools/http-target.ts';
import { ask } from './ask.ts';
import { type LocalServer, startHttpServer } from './local-server.ts';

/** What must not be reached. */
let listener: LocalServer;
/** A host that may be asked; its path is where it redirects to. */
let redirector: LocalServer;

beforeAll(async () => {
  listener = await startHttpServer((_request, response) => response.end('secret'));
  redirector = await startHttpServer(({ url = '/' }, response) => {
    response.writeHead(302, { location: decodeURIComponent(url.slice(1)) }).end();
  });
});
afterAll(() => Promise.all([listener.close(), redirector.close()]));

function lookupOf(hosts: Readonly<Record<string, string>>): Lookup {
  return async (host) => {
    const address = hosts[host];
    if (address === undefined) throw new Error(`getaddrinfo ENOTFOUND ${host}`);
    return [{ address, family: 4 }];
  };
}

/** A public-looking host that redirects. */
function redirecting() {
  const host = `www.example.com:${redirector.port}`;
  return {
    host,
    options: { allowPrivate: [host], lookup: lookupOf({ 'www.example.com': '127.0.0.1', localhost: '127.0.0.1' }) },
  };
}

describe('the listener is not reached', () => {
  const port = '{{port}}';
  test.each([
    `http://127.0.0.1:${port}/x`,
    `http://localhost:${port}/x`,
    `http://LOCALHOST.:${port}/x`,
    `http://2130706433:${port}/`,
    `http://0x7f.1:${port}/`,
    `http://0177.0.0.1:${port}/`,
    `http://127.1:${port}/`,
    `http://0:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://user@127.0.0.1:${port}/`,
    `http:\\\\127.0.0.1:${port}\\`,
    `file://127.0.0.1:${port}/etc/hostname`,
    'http://127.0.0.1/',
    'http://localhost/',
    'https://localhost/',
    'http://169.254.169.254/latest/meta-data/',
    'file:///etc/hostname',
    'http://10.0.0.1/',
    '//127.0.0.1/',
  ])('by %s, directly or over a redirect', async (template) => {
    const url = template.replace(port, String(listener.port));
    const { host, options } = redirecting();
    const before = listener.connections();
    expect(await ask(url)).toMatchObject({ outcome: 'failed', retryable: false });

    const redirected = await ask(`http://${host}/${encodeURIComponent(url)}`, options);
    expect(redirected).toMatchObject({ outcome: 'failed', retryable: false });
    expect(redirected.text).toMatch(/^Refused to ask |is not a full URL/);
    expect(listener.connections()).toBe(before);
  });

  test('by the last hop of several', async () => {
    const { host, options } = redirecting();
    const secret = encodeURIComponent(`http://127.0.0.1:${listener.port}/`);
    const before = listener.connections();
    const { text, retryable } = await ask(
      `http://${host}/${encodeURIComponent(`/${encodeURIComponent(`/${secret}`)}`)}`,
      options,
    );
    expect({ text, retryable }).toEqual({
      text: `Refused to ask http://127.0.0.1:${listener.port}/: port ${listener.port} is not 80 or 443.`,
      retryable: false,
    });
    expect(listener.connections()).toBe(before);
  });

  test('by a name that is public until it is connected to', async () => {
    // Both hosts listen on one port; an answer of the second look-up, if there were one, would lead to the listener.
    const host = await startHttpServer((_request, response) => response.end('public'), '127.0.0.2', listener.port);
    const answers = ['127.0.0.2', '127.0.0.1'];
    let lookups = 0;
    const lookup: Lookup = async () => [{ address: answers[lookups++] ?? '127.0.0.1', family: 4 }];
    const before = listener.connections();
    const { text } = await ask(`http://rebind.test:${listener.port}/`, {
      allowPrivate: [`rebind.test:${listener.port}`],
      lookup,
    });
    await host.close();
    expect(text).toContain('public');
    expect(lookups).toBe(1);
    expect(listener.connections()).toBe(before);
  });

  test('by a name that is public for the first hop only', async () => {
    // The page at rebind.test redirects to another port of the same name, which is looked up and judged again.
    const answers = ['127.0.0.1', '10.0.0.1'];
    const lookup: Lookup = async () => [{ address: answers.shift() ?? '10.0.0.1', family: 4 }];
    const { text } = await ask(`http://rebind.test:${redirector.port}/${encodeURIComponent('http://rebind.test/')}`, {
      allowPrivate: [`rebind.test:${redirector.port}`],
      lookup,
    });
    expect(text).toBe(
      'Refused to ask http://rebind.test/: rebind.test has the address 10.0.0.1, which is not public (private).',
    );
  });
});

test('a name among the answers of the system resolver is judged too', async () => {
  const { text, retryable } = await ask('http://localhost/');
  expect(text).toMatch(/localhost has the address (127\.0\.0\.1|::1), which is not public \(loopback\)/);
  expect(retryable).toBe(false);
});

test('an address that refuses gives way to the next one that was judged', async () => {
  const server = await startHttpServer((_request, response) => response.end('here'), '127.0.0.2');
  const host = `two.test:${server.port}`;
  const lookup: Lookup = async () => ['127.0.0.3', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  expect((await ask(`http://${host}/`, { allowPrivate: [host], lookup })).text).toContain('here');
  await server.close();
});

test('redirects are followed to their end, with the host that was asked in each request', async () => {
  const asked: string[] = [];
  const locations: Record<string, string> = {
    '/2': Buffer.from('/é').toString('latin1'), // UTF-8 on the wire, as browsers read it
  };
  const server = await startHttpServer(({ url = '', headers }, response) => {
    asked.push(`${headers.host}${url}`);
    const location = locations[url];
    if (location === undefined) response.end('arrived');
    else response.writeHead(301, { location }).end();
  });
  locations['/'] = `//b.test:${server.port}/2`;
  const { text } = await ask(`http://a.test:${server.port}/`, {
    allowPrivate: [`a.test:${server.port}`, `b.test:${server.port}`],
    lookup: lookupOf({ 'a.test': '127.0.0.1', 'b.test': '127.0.0.1' }),
  });
  await server.close();
  expect(text).toBe(`http://b.test:${server.port}/%C3%A9 (HTTP 200, unknown type, 7 bytes)\narrived`);
  expect(asked).toEqual([`a.test:${server.port}/`, `b.test:${server.port}/2`, `b.test:${server.port}/%C3%A9`]);
});

test('a loop of redirects ends after as many as are allowed', async () => {
  let requests = 0;
  const loop = await startHttpServer((_request, response) => {
    requests++;
    response.writeHead(307, { location: '/again' }).end();
  });
  const asked = await ask(`http://${loop.host}/`, { allowPrivate: [loop.host], maxRedirects: 3 });
  await loop.close();
  expect(asked).toMatchObject({ outcome: 'failed', retryable: false });
  expect(asked.text).toMatch(/redirects more than 3 times/);
  expect(requests).toBe(4);
});

test('HTTPS names the host that was asked, and checks what answers', async () => {
  const names: string[] = [];
  const server = createServer({
    SNICallback: (name, done) => {
      names.push(name);
      done(new Error('no certificate'));
    },
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const asked = await ask(`https://secure.test:${port}/`, {
    allowPrivate: [`secure.test:${port}`],
    lookup: lookupOf({ 'secure.test': '127.0.0.1' }),
  });
  await new Promise((resolve) => server.close(resolve));
  expect(names).toEqual(['secure.test']);
  expect(asked).toMatchObject({ outcome: 'failed', retryable: true });
});
