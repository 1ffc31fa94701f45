import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Lease, type LeaseLine, type LeaseOwner, leaseFileName } from './lease-file.ts';

/**
 * How long a lease outlives its activity: the result may still be on its way to the server when the process dies. A lease
 * that is open for too long does no harm, since the server refuses the token of an attempt that is over.
 */
const LINGER_MS = 5_000;

/** Which attempts this process has taken, written down for whoever comes after a crash. */
export class LeaseJournal {
  readonly #path: string;
  readonly #file: number;
  readonly #lingering = new Set<NodeJS.Timeout>();

  /** Makes the folder (mode 0700) and a file of `owner`, this process, in it (mode 0600). */
  constructor(folder: string, owner: LeaseOwner) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#path = join(folder, leaseFileName(owner, randomUUID()));
    this.#file = openSync(this.#path, 'wx', 0o600);
  }

  /** Written before the attempt starts, so in one go and not synced: it has to outlive the process, not the machine. */
  open(lease: Lease): void {
    this.#write({ open: lease });
  }

  /** The attempt has ended in this process; whether the server knows, time will tell. */
  close(token: string): void {
    const timer = setTimeout(() => {
      this.#lingering.delete(timer);
      this.#write({ close: token });
    }, LINGER_MS);
    timer.unref();
    this.#lingering.add(timer);
  }

  /** After a clean stop, when no attempt is left: the file goes. */
  remove(): void {
    for (const timer of this.#lingering) clearTimeout(timer);
    this.#lingering.clear();
    closeSync(this.#file);
    rmSync(this.#path);
  }

  #write(line: LeaseLine): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}
