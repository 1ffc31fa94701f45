import { Context } from '@temporalio/activity';
import type { Effect } from '../protocol/snapshot.ts';
import type { LeaseJournal } from './leases.ts';

/** Runs an attempt under a lease. A local activity needs none: it is lost with its workflow task, and tried again with it. */
export async function withLease<T>(
  journal: LeaseJournal | undefined,
  effect: Effect,
  run: () => Promise<T>,
): Promise<T> {
  const { isLocal, base64TaskToken, workflowExecution } = Context.current().info;
  if (!journal || isLocal || !workflowExecution) return await run();
  journal.open({ token: base64TaskToken, effect, ...workflowExecution });
  try {
    return await run();
  } finally {
    journal.close(base64TaskToken);
  }
}
