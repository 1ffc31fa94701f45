import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { assertNever } from '../protocol/json.ts';
import { MEMO, type RunResult, type Status, WORKFLOW_TYPE } from '../protocol/run.ts';
import { callServer } from './server-call.ts';
import { type ExecutionState, executionState } from './show-run.ts';

/** A person reads this many lines; who wants more asks for more. */
const DEFAULT_LIMIT = 50;
/** A page of the visibility store's answer. */
const PAGE_SIZE = 100;

/** What runs can be listed by: those that are open, or that ended in one way. */
export type ListStatus = 'running' | Status | 'terminated' | 'timed_out';

/** Which runs to list. */
export interface ListOptions {
  /** Default: all. */
  readonly status?: ListStatus;
  /** Default 50. */
  readonly limit?: number;
}

/** One run of a list. */
export interface RunRow {
  readonly run: string;
  readonly state: ExecutionState;
  readonly status: ExecutionState | Status;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly endedAt?: string;
  /** How the run ended; its text may be cut. */
  readonly result?: RunResult;
}

/** The runs of the namespace, the newest first, each once. The server's list is some moments behind. Throws `ServerUnavailable`. */
export async function listRuns(client: Client, { status, limit = DEFAULT_LIMIT }: ListOptions): Promise<RunRow[]> {
  const rows = new Map<string, RunRow>();
  const query = queryOf(status);
  return callServer(client, '', async () => {
    for await (const info of client.workflow.list({ query, pageSize: PAGE_SIZE })) {
      const row = rowOf(info);
      // A run that was reset has several executions; the newest one, which comes first, is the run.
      if (!rows.has(row.run) && (status === undefined || row.status === status)) rows.set(row.run, row);
      if (rows.size >= limit) break;
    }
    return [...rows.values()];
  });
}

function rowOf(info: WorkflowExecutionInfo): RunRow {
  const result = info.memo?.[MEMO.result] as RunResult | undefined;
  const state = executionState(info.status.name);
  return {
    run: info.workflowId,
    state,
    status: state === 'running' ? state : (result?.status ?? state),
    startedAt: info.startTime.toISOString(),
    endedAt: info.closeTime?.toISOString(),
    result,
  };
}

function queryOf(status: ListStatus | undefined): string {
  const all = `WorkflowType = '${WORKFLOW_TYPE}'`;
  // Each link but the newest of a run counts as continued.
  return `${all} AND ${status ? `ExecutionStatus = '${executionStatus(status)}'` : "ExecutionStatus != 'ContinuedAsNew'"}`;
}

/** Temporal's name for the executions among which runs of that status are. */
function executionStatus(status: ListStatus): string {
  switch (status) {
    case 'running':
      return 'Running';
    case 'completed':
    case 'limit_reached':
    case 'refused':
    case 'truncated':
      return 'Completed';
    case 'cancelled':
      return 'Canceled';
    case 'failed':
      return 'Failed';
    case 'terminated':
      return 'Terminated';
    case 'timed_out':
      return 'TimedOut';
    default:
      return assertNever(status);
  }
}
