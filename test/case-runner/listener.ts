import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Placeholders } from '../fake-model-api/placeholders.ts';

/** A server that no tool may reach, and one that may be asked and sends its visitors there. Both on the loopback interface. */
export interface Listener {
  /** Connections that the listener took. */
  readonly hits: number;
  /** Requests that the redirector answered. */
  readonly redirects: number;
  /** `host:port` of the redirector. */
  readonly redirector: string;
  readonly placeholders: Placeholders;
  close(): Promise<void>;
}

/** Starts both on free ports. */
export async function startListener(): Promise<Listener> {
  let hits = 0;
  let redirects = 0;
  const listener = createServer((_, response) => response.end('inside'));
  listener.on('connection', () => hits++);
  const port = await listen(listener);
  const redirector = createServer((_, response) => {
    redirects++;
    response.writeHead(302, { location: `http://127.0.0.1:${port}/inside` }).end();
  });
  const host = `127.0.0.1:${await listen(redirector)}`;
  return {
    get hits() {
      return hits;
    },
    get redirects() {
      return redirects;
    },
    redirector: host,
    placeholders: { listener_port: String(port), redirector_to_listener: `http://${host}/` },
    close: async () => {
      await Promise.all([close(listener), close(redirector)]);
    },
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
