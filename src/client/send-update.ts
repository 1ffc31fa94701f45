import {
  type Client,
  type WorkflowHandle,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { promptProblem } from '../protocol/check-messages.ts';
import type { Prompt } from '../protocol/messages.ts';
import { RUN_FAILURES, type RunState, type SendReceipt, type SendRequest, UPDATES } from '../protocol/run.ts';
import { checkSize } from './check-size.ts';
import { InvalidRequest, RunBusy, RunClosed, RunNotFound, WorkerUnavailable } from './errors.ts';
import { CALL_DEADLINE_MS, callServer, preconditionOf } from './server-call.ts';

/**
 * Says something to a run. The request's id makes a repeated delivery harmless. Throws {@link InvalidRequest},
 * {@link RunBusy}, {@link RunClosed}, {@link RunNotFound}, {@link WorkerUnavailable} where nobody takes it,
 * `ServerUnavailable`.
 */
export async function sendMessage(
  client: Client,
  run: string,
  prompt: Prompt,
  requestId: string,
): Promise<SendReceipt> {
  const problem = promptProblem(prompt);
  if (problem) throw new InvalidRequest(`${problem}; send some text`);
  const request: SendRequest = { requestId, prompt };
  checkSize(client, 'prompt', request);
  const options = { updateId: requestId, args: [request] satisfies [SendRequest] };
  return speak(client, run, (handle) => handle.executeUpdate<SendReceipt, [SendRequest]>(UPDATES.send, options));
}

/** Asks a run to end once all that was said is answered. Harmless when repeated. Throws as {@link sendMessage} does. */
export function closeRun(client: Client, run: string): Promise<RunState> {
  return speak(client, run, (handle) => handle.executeUpdate<RunState, []>(UPDATES.close));
}

/** Asks a run to stop as soon as it can; one that is over stays as it is. Throws {@link RunNotFound}, `ServerUnavailable`. */
export async function cancelRun(client: Client, run: string): Promise<void> {
  await speak(client, run, (handle) => handle.cancel());
}

async function speak<T>(client: Client, run: string, call: (handle: WorkflowHandle) => Promise<T>): Promise<T> {
  try {
    return await callServer(client, run, () => call(client.workflow.getHandle(run)));
  } catch (error) {
    throw await clearUpdateError(client, run, error);
  }
}

async function clearUpdateError(client: Client, run: string, error: unknown): Promise<unknown> {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) {
    return new WorkerUnavailable(run, CALL_DEADLINE_MS, { cause: error });
  }
  if (error instanceof RunNotFound) {
    // The server says the same of a run that is over; a run that never was makes the next call throw.
    await callServer(client, run, () => client.workflow.getHandle(run).describe());
    return new RunClosed(run, { cause: error });
  }
  const precondition = preconditionOf(error);
  if (precondition !== undefined) return new RunBusy(run, precondition, { cause: error });
  if (!(error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure)) return error;
  const { type, message } = error.cause;
  if (type === RUN_FAILURES.closing) return new RunClosed(run, { cause: error });
  return type === RUN_FAILURES.invalid ? new InvalidRequest(message, { cause: error }) : error;
}
