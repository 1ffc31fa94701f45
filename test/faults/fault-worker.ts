// A worker process whose server or network is to fail. It ends with its parent.

import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Hooks } from '../../src/activities/hooks.ts';
import type { ToolCall } from '../../src/tools/tool.ts';
import { FATAL_ITERATION } from '../crash/fates.ts';
import { REPORT_FD } from '../crash/reports.ts';
import { work } from '../crash/work.ts';
import type { Command, Order, Report, WorkerPoint } from './points.ts';

const hooks: Hooks = {
  // Fires after the handler has returned and before the activity gives its result to the SDK.
  onToolResult: ({ name }) => void isReached('after_handler', name),
  onModelCall: ({ iteration }) => void (iteration === FATAL_ITERATION + 1 && isReached('between_iterations')),
};
let order: Order | undefined;
/** Tools of the order that are not at its point yet. */
let missing = new Set<string>();
const waiting: (() => void)[] = [];
const input = createInterface({ input: process.stdin });
input.on('line', (line) => heed(JSON.parse(line) as Command));
input.once('close', () => process.exit());
report({ type: 'loaded' });

function heed(command: Command): void {
  switch (command.type) {
    case 'work':
      work(command.setup, { handle, hooks }).then(() => process.exit(), fail);
      return;
    case 'order':
      order = command.order;
      missing = new Set(order.tools);
      report({ type: 'ordered' });
      return;
    case 'resume':
      for (const resume of waiting.splice(0)) resume();
  }
}

async function handle(tool: string, { callId, idempotencyKey, attempt }: ToolCall): Promise<void> {
  report({ type: 'handler_started', tool, callId, idempotencyKey, attempt, atMs: Date.now() });
  const resumed = new Promise<void>((resolve) => waiting.push(resolve)); // before the report: the answer may come at once
  if (isReached('in_handler', tool)) await resumed;
}

/** Whether this is the order's point. Carries the order out, once, when nothing of it is missing there. */
function isReached(point: WorkerPoint, tool?: string): boolean {
  if (order?.point !== point) return false;
  if (tool !== undefined && !missing.delete(tool)) return false;
  if (tool !== undefined && missing.size > 0) return true;
  const { victims } = order;
  order = undefined;
  report({ type: 'reached' });
  for (const pid of victims) process.kill(pid, 'SIGKILL');
  return true;
}

/** The line is in the pipe when this returns, so that it outlives a SIGKILL of this process. */
function report(one: Report): void {
  writeSync(REPORT_FD, `${JSON.stringify(one)}\n`);
}

function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}
