import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';

/** A server on an address of this machine, and how often it was reached. */
export interface LocalServer {
  readonly port: number;
  /** `127.0.0.1:1234`, as the tool's `allowPrivate` takes it. */
  readonly host: string;
  /** Connections so far: one that sends nothing counts too. */
  readonly connections: () => number;
  close(): Promise<void>;
}

/** An HTTP server on a loopback address and a free port, or the given one. */
export function startHttpServer(answer: RequestListener, address = '127.0.0.1', port = 0): Promise<LocalServer> {
  return started(createServer(answer), address, port);
}

/** A server that speaks bytes, for answers that no HTTP library sends. */
export function startTcpServer(onConnection: (socket: Socket) => void): Promise<LocalServer> {
  return started(createTcpServer(onConnection), '127.0.0.1', 0);
}

async function started(server: Server, address: string, port: number): Promise<LocalServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => socket.destroy()); // The tool ends connections as soon as it has seen enough.
  });
  server.listen(port, address);
  await once(server, 'listening');
  const bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    host: `${address}:${bound}`,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
