import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type DevServerOptions, startDevServer } from '../../src/temporal/dev-server.ts';
import { freePorts } from '../../src/temporal/ports.ts';
import { identityOf } from '../../src/temporal/process-identity.ts';
import { testTemporal } from '../support/server.ts';

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

  /** One that serves. */
  static async open(): Promise<OwnServer> {
    const folder = await mkdtemp(join(tmpdir(), 'pawl-faults-'));
    const [port = 0, uiPort = 0] = await freePorts(2);
    const files = { databaseFile: join(folder, 'temporal.db'), logFile: join(folder, 'server.log') };
    const server = new OwnServer(folder, { cli: testTemporal().temporalCli, port, uiPort, ...files });
    await server.start();
    return server;
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
