// Where faults strike, in the words that tests and worker processes share.

import type { Instruction as CrashInstruction } from '../crash/fates.ts';
import type { HandlerStart } from '../crash/reports.ts';

/** Points of a model's answer, where the fake API waits. */
export type ModelPoint = 'before_headers' | 'first_delta' | 'last_delta';

/** `in_handler`: the handler waits there. `after_handler`: its result is not on its way yet. Nobody waits at the last two. */
export type WorkerPoint = 'in_handler' | 'after_handler' | 'between_iterations';

/** A point of a run. All of them lie in the fatal iteration, but the last one, which is the start of the next. */
export type Point = ModelPoint | WorkerPoint;

/** What a worker process does at a point, once. */
export interface Order {
  readonly point: Point;
  /** The tools whose handlers are meant. The point is reached when all of them are there. */
  readonly tools: readonly string[];
  /** Processes that get SIGKILL from the worker itself, which may be one of them; so no message can slip out between. */
  readonly victims: readonly number[];
}

type Setup = NonNullable<CrashInstruction['setup']>;

/** One line of JSON on a worker process's standard input. */
export type Command =
  | { readonly type: 'work'; readonly setup: Setup }
  | { readonly type: 'order'; readonly order: Order }
  /** For the handlers that wait. */
  | { readonly type: 'resume' };

/** What a worker process tells the test, one JSON object a line. */
export type Report =
  | { readonly type: 'loaded' }
  | { readonly type: 'ordered' }
  | ({ readonly type: 'handler_started'; readonly atMs: number } & HandlerStart)
  /** The point of the order. The victims are killed right after it. */
  | { readonly type: 'reached' };

/** Whether the fake API is where the point is reached, and not the worker. */
export function isModelPoint(point: Point): point is ModelPoint {
  return point === 'before_headers' || point === 'first_delta' || point === 'last_delta';
}
