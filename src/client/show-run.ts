import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { RunResult, Status, Usage } from '../protocol/run.ts';
import { createReducer } from './history-events.ts';
import { readNewestLink } from './history-reader.ts';
import type { RunView } from './run-view.ts';
import { callServer } from './server-call.ts';

/** What Temporal says of a run. */
export type ExecutionState = 'running' | 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed_out' | 'other';

/** An activity that runs now, or waits for its next attempt. */
interface PendingCall {
  /** Of a tool call: its call id. */
  readonly id: string;
  /** The tool's wire name, or `pawl.callModel`. */
  readonly name: string;
  readonly attempt: number;
  /** Why the attempt before failed. */
  readonly lastFailure?: string;
}

/** Where a run stands. */
export interface RunSummary {
  readonly run: string;
  /** Temporal's run id of the newest link. */
  readonly runId: string;
  readonly state: ExecutionState;
  /** `starting` before the first turn, `idle` between the turns of a chat. */
  readonly status: Status | 'starting' | 'running' | 'idle';
  readonly agent: string;
  /** Empty as long as no worker has looked the agent up. */
  readonly model: string;
  readonly turn: number;
  readonly iteration: number;
  readonly link: number;
  /** Of the run so far. */
  readonly usage: Usage;
  readonly costUsdMicros: number | null;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly pending: readonly PendingCall[];
  readonly result?: RunResult;
}

const STATES: Readonly<Record<string, ExecutionState>> = {
  RUNNING: 'running',
  CONTINUED_AS_NEW: 'running', // seen only in the moment between two links
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed_out',
};

/** The state behind a status name of the SDK. */
export function executionState(statusName: string): ExecutionState {
  return STATES[statusName] ?? 'other';
}

/**
 * Where a run stands, by its newest link's history and what the server knows of running activities. Needs no worker.
 * Throws `RunNotFound`, `ServerUnavailable`.
 */
export async function showRun(client: Client, run: string): Promise<RunSummary> {
  const described = await callServer(client, run, () => client.workflow.getHandle(run).describe());
  const reducer = createReducer(run);
  for (const event of await readNewestLink(client, run)) reducer.push(event);
  const { view } = reducer;
  return {
    run,
    runId: described.runId,
    state: executionState(described.status.name),
    status: view.result?.status ?? openStatus(view),
    agent: view.snapshot?.agent ?? view.request?.agent ?? '',
    model: view.snapshot?.model ?? view.request?.model ?? '',
    turn: view.turn,
    iteration: view.iteration,
    link: view.link,
    usage: view.usage,
    costUsdMicros: view.costUsdMicros,
    startedAt: described.startTime.toISOString(),
    endedAt: described.closeTime?.toISOString(),
    pending: pendingCalls(described),
    result: view.result,
  };
}

function openStatus({ turn, turnIsOpen }: RunView): 'starting' | 'running' | 'idle' {
  if (turnIsOpen) return 'running';
  return turn === 0 ? 'starting' : 'idle';
}

function pendingCalls({ raw }: WorkflowExecutionDescription): PendingCall[] {
  return (raw.pendingActivities ?? []).map((activity) => ({
    id: activity.activityId ?? '',
    name: activity.activityType?.name ?? '',
    attempt: activity.attempt ?? 1,
    lastFailure: activity.lastFailure?.message ?? undefined,
  }));
}
