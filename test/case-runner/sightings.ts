import { EventEmitter, once } from 'node:events';

/** A list that grows while others wait for what comes into it. */
export class Sightings<T> {
  readonly all: T[] = [];
  readonly #emitter = new EventEmitter();

  constructor() {
    // One listener for each waiter, and a case may wait for many things at once.
    this.#emitter.setMaxListeners(0);
  }

  push(item: T): void {
    this.all.push(item);
    this.#emitter.emit('item');
  }

  count(fits: (item: T) => boolean): number {
    return this.all.filter(fits).length;
  }

  /** The nth item that fits, counted from 1, as soon as it is there. Rejects when the signal aborts. */
  async nth(n: number, fits: (item: T) => boolean, signal: AbortSignal): Promise<T> {
    for (;;) {
      signal.throwIfAborted();
      const found = this.all.filter(fits)[n - 1];
      if (found !== undefined) return found;
      await once(this.#emitter, 'item', { signal });
    }
  }
}
