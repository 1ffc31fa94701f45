import { writeSync } from 'node:fs';

/** A start of a handler in a worker process. */
export interface HandlerStart {
  readonly tool: string;
  readonly callId: string;
  readonly idempotencyKey: string;
  readonly attempt: number;
}

/** What a worker process tells the test, one JSON object a line. */
export type Report =
  /** Its code is in memory; it waits for its first instruction. */
  | { readonly type: 'loaded' }
  /** An instruction is in force. */
  | { readonly type: 'told' }
  | ({ readonly type: 'handler_started' } & HandlerStart)
  /** The last words of a process that kills itself. */
  | { readonly type: 'dying'; readonly where: string };

/** The file descriptor on which a worker process writes its reports. */
export const REPORT_FD = 3;

/** Tells the test. The line is in the pipe when this returns, so that it outlives a SIGKILL of this process. */
export function report(one: Report): void {
  writeSync(REPORT_FD, `${JSON.stringify(one)}\n`);
}
