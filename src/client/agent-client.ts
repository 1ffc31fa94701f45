import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { RunEvent } from '../protocol/events.ts';
import type { Message, Prompt } from '../protocol/messages.ts';
import type { RunResult, RunState, SendReceipt } from '../protocol/run.ts';
import { readEvents, readNewestLink } from './history-reader.ts';
import { transcriptOf } from './history-transcript.ts';
import { type ListOptions, listRuns, type RunRow } from './list-runs.ts';
import { resultOfRun } from './run-result.ts';
import { cancelRun, closeRun, sendMessage } from './send-update.ts';
import { type RunSummary, showRun } from './show-run.ts';
import { type StartedRun, type StartRequest, startRun } from './start-run.ts';
import { type WaitOptions, waitForWorker } from './wait-for-worker.ts';

export {
  InvalidRequest,
  NamespaceNotFound,
  RunBusy,
  RunClosed,
  RunExists,
  RunNotFound,
  ServerUnavailable,
  WorkerUnavailable,
} from './errors.ts';
export type { ListOptions, RunRow, RunSummary, StartedRun, StartRequest, WaitOptions };

/** What a client of runs is built on. */
export interface AgentClientOptions {
  /** Its data converter must be that of the workers. */
  readonly client: Client;
  /** Where the workers are that serve new runs. */
  readonly taskQueue: string;
}

/** Where to begin, and how far to go. */
export interface FollowOptions {
  /** Cursor of the last event that the caller has. Default: the beginning. */
  readonly after?: string;
  /** `close`, the default, goes on until the run ends; `now` ends with the last event that there is. */
  readonly until?: 'now' | 'close';
  /** Ends the reading, without an error. */
  readonly signal?: AbortSignal;
}

/** What makes a message known when it comes again. */
export interface SendOptions {
  /** Default: a new one. */
  readonly requestId?: string;
}

/**
 * Starts runs, follows them and speaks with them. Each call has a deadline and throws the errors of `errors.ts`.
 * What only reads needs no worker.
 */
export class AgentClient {
  private readonly client: Client;
  private readonly taskQueue: string;

  constructor({ client, taskQueue }: AgentClientOptions) {
    this.client = client;
    this.taskQueue = taskQueue;
  }

  /** Starts a run, under an id of its own unless one is given. Throws `InvalidRequest`, `RunExists`, `ServerUnavailable`. */
  start(request: StartRequest, { id }: { readonly id?: string } = {}): Promise<StartedRun> {
    return startRun(this.client, this.taskQueue, request, id);
  }

  /** Waits for the end of a run, and gives its result whatever ended it. An abort throws the signal's reason. */
  result(run: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<RunResult> {
    return resultOfRun(this.client, run, signal);
  }

  /** The events of a run, in order, each once, over all its links. A restart of the server is waited out. */
  events(run: string, { after, until = 'close', signal }: FollowOptions = {}): AsyncIterable<RunEvent> {
    return readEvents(this.client, run, { after, until, signal });
  }

  /** All messages that the model has seen or written, and the results of its last calls once they are there. */
  async transcript(run: string): Promise<Message[]> {
    return transcriptOf(run, await readNewestLink(this.client, run));
  }

  /** Says something to an open run. Must be given the same `requestId` when it is repeated. */
  send(run: string, prompt: Prompt, { requestId = randomUUID() }: SendOptions = {}): Promise<SendReceipt> {
    return sendMessage(this.client, run, prompt, requestId);
  }

  /** Asks a run to end once all that was said is answered. */
  close(run: string): Promise<RunState> {
    return closeRun(this.client, run);
  }

  /** Asks a run to stop as soon as it can, and returns before it has. A run that is over stays as it is. */
  cancel(run: string): Promise<void> {
    return cancelRun(this.client, run);
  }

  /** Where a run stands. */
  show(run: string): Promise<RunSummary> {
    return showRun(this.client, run);
  }

  /** The runs of the namespace, the newest first. */
  list(options: ListOptions = {}): Promise<RunRow[]> {
    return listRuns(this.client, options);
  }

  /** Waits until a worker has taken up a run; false where none has within `timeoutMs`, by default 3 s. */
  waitForWorker(run: string, options: WaitOptions = {}): Promise<boolean> {
    return waitForWorker(this.client, run, options);
  }
}

/** Where a run is seen in the Temporal UI at `uiUrl`. `runId` is Temporal's, of any of its links. */
export function runUrl(uiUrl: string, namespace: string, run: string, runId: string): string {
  const [inNamespace, inRun, inLink] = [namespace, run, runId].map(encodeURIComponent);
  return `${uiUrl.replace(/\/+$/, '')}/namespaces/${inNamespace}/workflows/${inRun}/${inLink}/history`;
}
