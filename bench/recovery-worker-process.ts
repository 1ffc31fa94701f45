// A worker that is to be killed: at its point it says so and hangs. The one after it, with no point, just works.

import type { ToolCall } from '../src/tools/tool.ts';
import { fromParent, installWorkerRuntime, serve, tellParent } from './child-side.ts';
import { createBenchWorker, incompressible } from './pawl-worker.ts';
import { FATAL_ITERATION, isOfFatalIteration, type RecoveryMessage, type RecoverySetup } from './recovery-setup.ts';

installWorkerRuntime();
const setup = await fromParent<RecoverySetup>();
await serve(
  await createBenchWorker(setup, {
    handle,
    hooks: {
      // The results of the iteration before are recorded, and the request to the model has not left.
      onModelCall: ({ iteration }) => {
        if (setup.point === 'between_iterations' && iteration === FATAL_ITERATION) hangAll();
      },
    },
  }),
);

async function handle(_: string, { callId }: ToolCall): Promise<string> {
  tell({ type: 'handler_started', callId });
  const isFatal = setup.point === 'in_tool' || setup.point === 'in_workflow_task';
  if (isFatal && isOfFatalIteration(callId)) {
    tell({ type: 'fatal' });
    await new Promise(() => undefined);
  }
  return incompressible(setup.resultBytes);
}

/** Holds the whole process where it is, until it is killed. */
function hangAll(): void {
  tell({ type: 'fatal' });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function tell(message: RecoveryMessage): void {
  tellParent(message);
}
