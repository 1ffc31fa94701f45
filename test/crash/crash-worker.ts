// A worker process that is to be killed or stopped. It loads, waits for its instructions, works, and ends with its parent.

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Hooks } from '../../src/activities/hooks.ts';
import type { ToolCall } from '../../src/tools/tool.ts';
import { FATAL_ITERATION, type Instruction, type Order } from './fates.ts';
import { report } from './reports.ts';
import { work } from './work.ts';

/** Short, so that a handler is soon longer; a handler that ends by itself needs a moment only. */
const GRACE_MS = 500;

const hooks: Hooks = {
  // Fires after the handler has returned and before the activity gives its result to the SDK.
  onToolResult: ({ name }) => {
    if (order.fate === 'dies_after_handler' && name === order.tool) die(`after the handler of ${name} returned`);
  },
  onModelCall: ({ iteration }) => {
    const isNext = iteration === FATAL_ITERATION + 1;
    if (order.fate === 'dies_before_model_request' && isNext) die('between two iterations');
  },
};
let order: Order = { fate: 'works', tool: '' };
const input = createInterface({ input: process.stdin });
input.on('line', heed);
input.once('close', () => process.exit());
report({ type: 'loaded' });

function heed(line: string): void {
  const instruction = JSON.parse(line) as Instruction;
  order = instruction.order;
  report({ type: 'told' });
  if (!instruction.setup) return;
  work(instruction.setup, { handle, hooks, shutdownGraceMs: GRACE_MS }).then(
    () => process.exit(),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
}

async function handle(tool: string, { callId, idempotencyKey, attempt }: ToolCall): Promise<void> {
  const fate = tool === order.tool ? order.fate : 'works';
  // Before the report: whoever reads it may send the signal at once.
  const terminated = fate === 'stopped_in_handler' ? once(process, 'SIGTERM') : undefined;
  report({ type: 'handler_started', tool, callId, idempotencyKey, attempt });
  if (fate === 'dies_in_handler') die(`in the handler of ${tool}`);
  if (fate === 'stopped_in_long_handler' || fate === 'hangs_in_handler') await new Promise(() => undefined);
  await terminated;
}

function die(where: string): void {
  report({ type: 'dying', where });
  process.kill(process.pid, 'SIGKILL');
}
