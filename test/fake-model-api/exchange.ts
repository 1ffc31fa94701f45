import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MessageAnswer } from './answers.ts';
import type { RecordedRequest } from './recorded-request.ts';

/** Points at which a test may hold the answer back; the server waits for what they return. */
export interface Hooks {
  /** The answer is chosen, no byte of it has left. */
  beforeHeaders?(request: RecordedRequest): unknown;
  /** The first delta of a stream has left. */
  afterFirstDelta?(request: RecordedRequest): unknown;
  /** The last delta of a stream has left, the end has not. */
  afterLastDelta?(request: RecordedRequest): unknown;
}

/** One request in the course of being answered. */
export interface Exchange {
  readonly request: RecordedRequest;
  readonly response: ServerResponse;
  readonly hooks: Hooks;
  /** Aborted when the connection is gone, whoever closed it. */
  readonly gone: AbortSignal;
  /** Told what of the model's message left the server; `whole` where it is all of it. */
  produced(message: MessageAnswer, extent: 'whole' | 'part'): void;
}

/** Waits, but not longer than the client does. */
export async function pause(ms: number | undefined, gone: AbortSignal): Promise<void> {
  if (ms === undefined || gone.aborted) return;
  await sleep(ms, undefined, { signal: gone }).catch((error: unknown) => {
    if (!gone.aborted) throw error;
  });
}

/** Resets the connection, so that the client sees a network fault. */
export function resetConnection({ request, response }: Exchange): void {
  request.cutByServer = true;
  response.socket?.resetAndDestroy();
}
