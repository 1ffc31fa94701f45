import { Context, type Info } from '@temporalio/activity';
import { AsyncCompletionClient, type AsyncCompletionClientOptions } from '@temporalio/client';
import type { StorageDriverTargetInfo } from '@temporalio/common';

/** A server that takes longer to answer is asked again. */
const DEADLINE_MS = 10_000;

/**
 * What the server says to a result. `over`: it waits for it no longer, since the attempt timed out, its run is closed, or
 * it has the result already. `not_now`: it can't be reached, or can't do its work. `refused`: it never will.
 */
export type Reception = 'taken' | 'over' | 'not_now' | 'refused';

/** Gives a result of the attempt that is under way to the server, by the attempt's task token. Never rejects. */
export type CompleteAttempt = (result: object) => Promise<Reception>;

/** Completes attempts as the SDK's worker would, if it gets the worker's own connection, converter and identity. */
export function createCompleteAttempt(options: AsyncCompletionClientOptions): CompleteAttempt {
  const client = new ByToken(options);
  return async (result) => {
    const { info } = Context.current();
    const serializationContext = serializationContextOf(info);
    const complete = () => client.complete(info.taskToken, result, { serializationContext });
    try {
      await client.withDeadline(Date.now() + DEADLINE_MS, complete);
      return 'taken';
    } catch (error) {
      return receptionOf(error);
    }
  };
}

/** The SDK's client, but for two things that it does not know of a task token. */
class ByToken extends AsyncCompletionClient {
  /** The client's own errors lack the code, which tells whether to ask again. */
  protected override handleError(error: unknown): never {
    throw error;
  }

  /** The worker stores large payloads under their run; the client has no more than the token. */
  protected override storageTargetFor(): StorageDriverTargetInfo {
    const { namespace, workflowExecution, workflowType } = Context.current().info;
    const { workflowId, runId } = workflowExecution ?? {};
    return { kind: 'workflow', namespace, id: workflowId, runId, type: workflowType };
  }
}

/** What payload codecs and converters are told. */
function serializationContextOf({ namespace, activityId, workflowExecution, isLocal }: Info) {
  return { type: 'activity', namespace, activityId, workflowId: workflowExecution?.workflowId, isLocal } as const;
}

function receptionOf(error: unknown): Reception {
  const { code } = Object(error) as { code?: unknown };
  if (code === NOT_FOUND) return 'over';
  return NOT_NOW.some((one) => one === code) ? 'not_now' : 'refused';
}

// The server's answers, by https://grpc.io/docs/guides/status-codes/.
const NOT_FOUND = 5;
/**
 * Unknown, resource exhausted, aborted, out of range, internal, unavailable and data loss, as in the SDK; besides them
 * cancelled, which a line may be when it breaks, and deadline exceeded, which is ours.
 */
const NOT_NOW = [2, 8, 10, 11, 13, 14, 15, 1, 4];
