import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Debian's package `libfaketime` puts its library, in a folder named after the machine's kind. */
const LIBRARIES = '/usr/lib';

/** Path of libfaketime for programs with threads; undefined where it is not installed. */
export function findFaketime(): string | undefined {
  if (!existsSync(LIBRARIES)) return undefined;
  const paths = readdirSync(LIBRARIES).map((kind) => join(LIBRARIES, kind, 'faketime', 'libfaketimeMT.so.1'));
  return paths.find((path) => existsSync(path));
}

/** The wall clock of processes that are started with its environment. Their monotonic clock is left alone, as by a real jump. */
export class ShiftedClock {
  readonly #folder: string;
  readonly #file: string;
  /** For the processes, which look at the file whenever they look at the clock. */
  readonly env: Readonly<Record<string, string>>;

  private constructor(library: string, folder: string) {
    this.#folder = folder;
    this.#file = join(folder, 'shift');
    this.env = {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** A clock that is right until it jumps. */
  static async open(library: string): Promise<ShiftedClock> {
    const clock = new ShiftedClock(library, await mkdtemp(join(tmpdir(), 'pawl-clock-')));
    await clock.shift(0);
    return clock;
  }

  /** Sets it so many seconds before the right time; behind it where negative. */
  async shift(seconds: number): Promise<void> {
    await writeFile(this.#file, `${seconds < 0 ? '' : '+'}${seconds}s\n`);
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }
}
