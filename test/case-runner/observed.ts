import type { CaseInput, Json } from './case-format.ts';

/** How the answer to one input ended. */
export interface ObservedTurn {
  readonly status: string;
  readonly reason?: string;
  readonly text: string;
  readonly emptyAnswer: boolean;
}

/** A handler start, as the worker process reported it. */
export interface HandlerStart {
  /** The tool's name in the case. */
  readonly tool: string;
  readonly callId: string;
  readonly input: Json;
  readonly idempotencyKey: string;
  readonly attempt: number;
}

/** An HTTP request at the fake API, in ms of one clock. `endedAt` is absent where no answer was ever finished. */
interface RequestTimes {
  readonly receivedAt: number;
  readonly endedAt?: number;
}

/** What a run left behind in Temporal, over all its links. */
export interface ObservedHistory {
  /** Events of each link. */
  readonly events: readonly number[];
  readonly largestPayloadBytes: number;
  /** Workflow tasks that failed or timed out. */
  readonly taskFailures: number;
  /** All events with their payloads decoded, and what was stored outside the history. */
  readonly text: string;
}

/** Where the run stood some time after its start. */
export interface ObservedState {
  readonly ms: number;
  readonly state: string;
}

/** Everything that a finished case can be judged by. Parts that only some words need are absent where no word asked. */
export interface Observed {
  readonly inputs: readonly CaseInput[];
  /** One for each input. */
  readonly turns: readonly ObservedTurn[];
  readonly requests: readonly RequestTimes[];
  /** The breaches of the strict rules that the fake API answered with 400. */
  readonly rejections: readonly string[];
  readonly handlerStarts: readonly HandlerStart[];
  readonly effects: number;
  readonly totalMs: number;
  readonly history: ObservedHistory;
  /** What the client shows of the run: its result and its events. */
  readonly reported: string;
  readonly workerLog: string;
  /** From the first cancel to the end of the run. */
  readonly cancelMs?: number;
  readonly workerExitCode?: number | null;
  readonly childrenAlive?: number;
  readonly openWorkflows?: number;
  readonly states?: readonly ObservedState[];
  readonly cliStdout?: string;
  /** What replay said against the recorded histories; empty when they replay. */
  readonly replayFaults?: readonly string[];
  /** What is wrong with the pairs of calls and results in the stored transcript. */
  readonly transcriptFaults?: readonly string[];
  /** Names that the tools have on the wire, in each repeat. */
  readonly wireNames: readonly (readonly string[])[];
  /** What the server that no tool may reach was asked, and how often a tool was sent there. */
  readonly listener?: { readonly hits: number; readonly redirects: number };
  /** Runs the `checks` of a case over the recorded requests. */
  readonly check: (checks: Json) => readonly string[];
}
