import { writeSync } from 'node:fs';
import type { HandlerStart } from './observed.ts';

/** What the worker process of a case tells the runner, one JSON object a line. */
export type Report =
  | { readonly type: 'ready' }
  | ({ readonly type: 'handler_started' } & HandlerStart)
  /** The handler had its effect; with a key, the effect is stored under it and counts once. */
  | { readonly type: 'effect'; readonly key?: string }
  /** The handler started a child process. */
  | { readonly type: 'child'; readonly pid: number };

/** The file descriptor on which a worker process of a case writes its reports. */
export const REPORT_FD = 3;

/** Tells the runner. The line is in the pipe when this returns, so that it outlives a SIGKILL of this process. */
export function report(one: Report): void {
  writeSync(REPORT_FD, `${JSON.stringify(one)}\n`);
}
