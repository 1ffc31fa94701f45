import { callIdOf } from './job.ts';
import type { WorkerSetup } from './pawl-worker.ts';

/** Where the worker is when it is killed. `in_workflow_task`: a quick tool runs inside one. */
export const POINTS = ['in_model_call', 'in_tool', 'between_iterations', 'in_workflow_task'] as const;
export type Point = (typeof POINTS)[number];

/** The iteration in which it happens. */
export const FATAL_ITERATION = 3;
/** Iterations with calls; the answer follows. */
export const ITERATIONS = 5;
/** Calls in an iteration. */
export const CALLS = 3;

/** What a worker that is to be killed is told; the next one is told `point: 'none'`. */
export interface RecoverySetup extends WorkerSetup {
  readonly point: Point | 'none';
}

/** What it tells. `fatal`: it is where it is to be killed, and stays there. */
export type RecoveryMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'handler_started'; readonly callId: string }
  | { readonly type: 'fatal' };

/** Whether a call belongs to the fatal iteration. */
export function isOfFatalIteration(callId: string): boolean {
  return callId.startsWith(callIdOf(FATAL_ITERATION, ''));
}
