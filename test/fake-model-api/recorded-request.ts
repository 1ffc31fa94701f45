import type { IncomingHttpHeaders } from 'node:http';

/** One request as the fake saw it. The fields after `text` change while it is answered. */
export interface RecordedRequest {
  /** 0 for the first that arrived. */
  readonly index: number;
  /** When its body had arrived, in milliseconds since the epoch. */
  readonly at: number;
  readonly headers: IncomingHttpHeaders;
  /** Name of the asked model; empty where the body has none. */
  readonly model: string;
  /** The parsed body; undefined where it is no JSON. */
  readonly body: unknown;
  /** The body as it came. Cut at the limit where it was over the limit. */
  readonly text: string;
  /** Status of the answer; undefined before its headers left. */
  status?: number;
  /** When the answer ended or broke off, in milliseconds since the epoch. */
  responseEndedAt?: number;
  /** The client left before the answer had ended. */
  aborted: boolean;
  /** The answer was to end by a reset. */
  cutByServer: boolean;
  /** A whole message of the model left the server. False for errors and for streams that were cut. */
  answeredInFull: boolean;
}

/** Number of requests that say the same, in the same thread, as an earlier request that had been answered in full. */
export function countRepeatedCompleted(requests: readonly RecordedRequest[]): number {
  const completed = new Set<string>();
  let repeated = 0;
  for (const { body, answeredInFull } of requests) {
    const { messages, thread } = (body ?? {}) as { messages?: unknown; thread?: unknown };
    const key = JSON.stringify([messages, thread]);
    if (completed.has(key)) repeated++;
    if (answeredInFull) completed.add(key);
  }
  return repeated;
}
