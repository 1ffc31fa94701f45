import type { ContextRef, Position, Verdict } from '../protocol/activities.ts';
import type { CallBlock } from '../protocol/messages.ts';
import { NO_USAGE, type RunRequest, type RunResult, type SendRequest, type Usage } from '../protocol/run.ts';
import type { AgentSnapshot } from '../protocol/snapshot.ts';

/** A call of the last answer that has no result yet. */
interface OpenCall {
  readonly call: CallBlock;
  readonly verdict: Verdict | undefined;
}

/** An activity that is scheduled and not over: a model call, a summary, or a tool call by its id. */
export interface Pending extends Position {
  readonly kind: 'model' | 'summary' | 'tool' | 'other';
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
  readonly scheduledAt: string;
  attempt: number;
}

/** What a reader knows of a run, having seen its history up to some event. */
export interface RunView {
  readonly run: string;
  link: number;
  request: RunRequest | undefined;
  snapshot: AgentSnapshot | undefined;
  /** The agent as it was last looked up: the run takes it with the fact that it has changed. */
  lookedUp: AgentSnapshot | undefined;
  turn: number;
  /** Of the turn; 0 before its first model call. */
  iteration: number;
  turnIsOpen: boolean;
  /** Start of the workflow task in progress. */
  taskStartedAtMs: number;
  usage: Usage;
  costUsdMicros: number | null;
  /** The text of the turn's last model result. */
  lastText: string;
  /** Length and digest of the context, as the last model result left it. */
  transcript: Pick<ContextRef, 'length' | 'digest'>;
  readonly open: Map<string, OpenCall>;
  readonly pending: Map<number, Pending>;
  /** Messages of updates that a reset has carried over, by update id. */
  readonly admitted: Map<string, SendRequest>;
  readonly seenRequests: Set<string>;
  /** The result that the run left in its memo; its text may be cut. */
  memoResult: RunResult | undefined;
  result: RunResult | undefined;
}

/** What is known of a run before its first event. */
export function newView(run: string): RunView {
  return {
    run,
    link: 0,
    request: undefined,
    snapshot: undefined,
    lookedUp: undefined,
    turn: 0,
    iteration: 0,
    turnIsOpen: false,
    taskStartedAtMs: 0,
    usage: NO_USAGE,
    costUsdMicros: 0,
    lastText: '',
    transcript: { length: 0, digest: '' },
    open: new Map(),
    pending: new Map(),
    admitted: new Map(),
    seenRequests: new Set(),
    memoResult: undefined,
    result: undefined,
  };
}

/** The sum of two costs: unknown as soon as one is. */
export function addCost(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}
