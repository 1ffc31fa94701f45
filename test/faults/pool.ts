/** A thing that a pool makes and takes down. */
interface Closable {
  close(): Promise<void>;
}

/** A few things that tests which run side by side use one after the other. What a test fails on is not used again. */
export class Pool<T extends Closable> {
  readonly #open: () => Promise<T>;
  readonly #idle: T[] = [];
  readonly #waiting: (() => void)[] = [];
  #free: number;

  /** Makes at most `size` things, each when it is first needed. */
  constructor(size: number, open: () => Promise<T>) {
    this.#free = size;
    this.#open = open;
  }

  /** Lends one for a piece of work. */
  async lend<R>(work: (thing: T) => Promise<R>): Promise<R> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free--;
    try {
      return await this.#use(this.#idle.pop() ?? (await this.#open()), work);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((thing) => thing.close()));
  }

  async #use<R>(thing: T, work: (thing: T) => Promise<R>): Promise<R> {
    try {
      const result = await work(thing);
      this.#idle.push(thing);
      return result;
    } catch (error) {
      await thing.close();
      throw error;
    }
  }
}
