import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';
/**
 * Ports that a server may keep: below the range from which the system gives ports to outgoing connections, which could
 * otherwise take one while the server is away, and below 32768, which is all that Temporal's SQL stores can hold.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;

/** Ports on loopback that nobody listens on now, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

/** Whether a server could listen on this port of loopback. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, LOOPBACK, () => server.close(() => resolve(true)));
  });
}

/** Whether somebody accepts connections on this port of loopback. */
export function isListening(port: number, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: LOOPBACK, timeout: timeoutMs });
    const answer = (listening: boolean) => {
      socket.destroy();
      resolve(listening);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
    socket.once('timeout', () => answer(false));
  });
}
