import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** HTTP/2's frames for its own needs are smaller, and answers are larger. */
const MESSAGE_BYTES = 100;

/** The two ends of one connection through the proxy. */
interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
}

/** A TCP proxy on loopback that passes everything on until it is told to do worse. */
export class FaultProxy {
  /** Bytes that went into the black hole. */
  swallowedBytes = 0;
  /** Bytes that arrived later than they could have. */
  heldBackBytes = 0;
  /** Connections that were broken on purpose. */
  broken = 0;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  /** Connections that lost bytes, or were never answered: they cannot go on when the hole is mended. */
  readonly #lost = new Set<Socket>();
  #delayMs = 0;
  #bytesPerSecond = Number.POSITIVE_INFINITY;
  #swallows = false;
  #resetsNextMessage = false;

  private constructor(target: string) {
    const { hostname, port } = new URL(target.includes('://') ? target : `tcp://${target}`);
    this.#target = { host: hostname, port: Number(port) };
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client));
  }

  /** A proxy before an address (`host:port`) or a URL of a server, which need not listen yet. */
  static async open(target: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Each byte arrives so much later, in both directions. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** So many bytes a second and direction, for each connection. */
  throttle(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Resets all connections. New ones are served. */
  cut(): void {
    for (const pair of this.#pairs) this.#break(pair);
  }

  /** Of the next message that the server sends, half arrives, and then a reset. */
  resetInNextMessage(): void {
    this.#resetsNextMessage = true;
  }

  /** From now on all bytes vanish and no new connection is answered; nobody is told. */
  swallow(): void {
    this.#swallows = true;
  }

  /** Undoes all. Connections that lost bytes are reset, as by a router that no longer knows them. */
  heal(): void {
    this.#delayMs = 0;
    this.#bytesPerSecond = Number.POSITIVE_INFINITY;
    this.#swallows = false;
    for (const pair of this.#pairs) {
      if (this.#lost.has(pair.client)) this.#break(pair);
    }
    for (const client of this.#lost) client.resetAndDestroy();
    this.#lost.clear();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.heal();
    for (const { client, upstream } of this.#pairs) for (const socket of [client, upstream]) socket.destroy();
    await closed;
  }

  #accept(client: Socket): void {
    if (this.#swallows) {
      client.on('error', () => client.destroy());
      this.#lost.add(client);
      return;
    }
    const upstream = connect({ ...this.#target, allowHalfOpen: true });
    const pair = { client, upstream };
    this.#pairs.add(pair);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.setNoDelay();
      from.on('error', () => drop(pair));
      from.once('close', () => this.#pairs.delete(pair));
      this.#pass(pair, from, to);
    }
  }

  /** Passes bytes on in their order, each when it is due. */
  #pass(pair: Pair, from: Socket, to: Socket): void {
    let dueMs = 0;
    let before = Promise.resolve();
    const inTurn = (bytes: number, act: () => void) => {
      const now = performance.now();
      dueMs = Math.max(dueMs, now + this.#delayMs) + (bytes * 1_000) / this.#bytesPerSecond;
      if (dueMs > now) this.heldBackBytes += bytes;
      before = Promise.all([before, dueMs > now ? delay(dueMs - now) : undefined]).then(act);
    };
    from.on('data', (chunk: Buffer) => {
      if (this.#swallows) {
        this.swallowedBytes += chunk.length;
        this.#lost.add(pair.client);
        return;
      }
      inTurn(chunk.length, () => this.#write(pair, to, chunk));
    });
    from.once('end', () => inTurn(0, () => to.end()));
  }

  #write(pair: Pair, to: Socket, chunk: Buffer): void {
    if (to.destroyed || to.writableEnded) return;
    const isMessage = to === pair.client && chunk.length >= MESSAGE_BYTES;
    if (!this.#resetsNextMessage || !isMessage) {
      to.write(chunk);
      return;
    }
    this.#resetsNextMessage = false;
    to.write(chunk.subarray(0, chunk.length / 2), () => this.#break(pair));
  }

  #break(pair: Pair): void {
    this.broken++;
    drop(pair);
  }
}

/** The client sees a reset. The server sees its client leave, and what it still says is lost. */
function drop({ client, upstream }: Pair): void {
  client.resetAndDestroy();
  upstream.end();
}
