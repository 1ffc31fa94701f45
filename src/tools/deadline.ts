/** What ends a piece of work early. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Ends the work with an error. The first call counts. */
  stop(error: Error): void;
}

/**
 * Does a piece of work that ends when `signal` aborts, the time is up or it stops itself. It then rejects with the reason
 * at once, whether or not the work heeds its signal; what the work itself throws after that is lost in it.
 */
export async function withDeadline<T>(
  signal: AbortSignal,
  timeoutMs: number,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const own = new AbortController();
  const abort = () => own.abort(signal.reason);
  const late = () => own.abort(new Error(`It took longer than ${timeoutMs} ms.`));
  const timer = setTimeout(late, timeoutMs);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await new Promise<T>((resolve, reject) => {
      own.signal.addEventListener('abort', () => reject(own.signal.reason), { once: true });
      work({ signal: own.signal, stop: (error) => own.abort(error) }).then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
