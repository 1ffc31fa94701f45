import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type DevServerOptions, startDevServer } from '../../src/temporal/dev-server.ts';
import { isFree } from '../../src/temporal/ports.ts';
import { identityOf } from '../../src/temporal/process-identity.ts';
import { testTemporal } from '../support/server.ts';

/**
 * Below the ports that systems give to outgoing connections (Linux from 32768, others from 49152): one of those, such as
 * a client's that looks for the server, could otherwise have taken the port when the server comes back.
 */
const PORTS = { from: 20_000, to: 32_000 };
/** How often the process is looked at while it ends. */
const EXIT_POLL_MS = 10;

/** A dev server that may be killed and started again, with the same data on the same port. */
export class OwnServer {
  readonly #folder: string;
  readonly #options: DevServerOptions;
  #pid = 0;

  private constructor(folder: string, options: DevServerOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** One that serves. Another process may take a port between the look and the start; then other ports are tried. */
  static async open(attempts = 3): Promise<OwnServer> {
    const folder = await mkdtemp(join(tmpdir(), 'pawl-faults-'));
    const [port, uiPort] = await lastingPorts();
    const files = { databaseFile: join(folder, 'temporal.db'), logFile: join(folder, 'server.log') };
    const server = new OwnServer(folder, { cli: testTemporal().temporalCli, port, uiPort, ...files });
    try {
      await server.start();
      return server;
    } catch (error) {
      await server.close();
      if (attempts === 1) throw error;
      return OwnServer.open(attempts - 1);
    }
  }

  get address(): string {
    return `127.0.0.1:${this.#options.port}`;
  }

  get pid(): number {
    return this.#pid;
  }

  /** Resolves when it serves. */
  async start(): Promise<void> {
    const server = startDevServer(this.#options);
    this.#pid = server.pid;
    await server.ready();
  }

  /** Resolves when a server that was killed is gone, and starts it again. */
  async restart(): Promise<void> {
    await this.gone();
    await this.start();
  }

  /** Resolves when its process has ended. */
  async gone(): Promise<void> {
    while (identityOf(this.#pid)) await delay(EXIT_POLL_MS);
  }

  async close(): Promise<void> {
    if (identityOf(this.#pid)) process.kill(this.#pid, 'SIGKILL');
    await this.gone();
    await rm(this.#folder, { recursive: true });
  }
}

/** A free port, and the one after it, which is free too. */
async function lastingPorts(): Promise<[port: number, uiPort: number]> {
  const port = randomInt(PORTS.from, PORTS.to);
  return (await isFree(port)) && (await isFree(port + 1)) ? [port, port + 1] : lastingPorts();
}
