import { Context } from '@temporalio/activity';
import type { RunResult } from '../protocol/run.ts';
import type { Observe } from './observe.ts';

/** Tells the hooks that a run has ended. */
export function createRunDone(observe: Observe): (result: RunResult) => Promise<void> {
  return async (result) => {
    const { workflowExecution, attempt } = Context.current().info;
    observe('onDone', { run: workflowExecution?.workflowId ?? '', attempt, result });
  };
}
