import {
  type Client,
  isGrpcServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { NamespaceNotFound, RunNotFound, ServerUnavailable } from './errors.ts';

/** A server that is up answers in milliseconds; ten seconds bear a restart and hide no outage. */
export const CALL_DEADLINE_MS = 10_000;

/** The numbers of gRPC, by the names that its specification gives them. */
const GRPC = {
  cancelled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  notFound: 5,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unavailable: 14,
};

/** What an outage or a restart looks like, as far as asking again can mend it. */
const TRANSIENT: ReadonlySet<number | undefined> = new Set([
  GRPC.cancelled,
  GRPC.unknown,
  GRPC.deadlineExceeded,
  GRPC.resourceExhausted,
  GRPC.aborted,
  GRPC.unavailable,
]);

/** How long a call may take, and what can end it sooner. */
export interface CallOptions {
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Makes one call to the server about a run, within a deadline (default 10 s).
 * Throws {@link RunNotFound}, {@link NamespaceNotFound}, {@link ServerUnavailable}, the signal's reason, or what else
 * the call throws.
 */
export async function callServer<T>(
  client: Client,
  run: string,
  call: () => Promise<T>,
  options: CallOptions = {},
): Promise<T> {
  try {
    return await callRaw(client, call, options);
  } catch (error) {
    throw clearError(error, run, options.signal);
  }
}

/** The same, with the errors as they come. */
export async function callRaw<T>(
  { connection }: Client,
  call: () => Promise<T>,
  { deadlineMs = CALL_DEADLINE_MS, signal }: CallOptions,
): Promise<T> {
  signal?.throwIfAborted();
  // The connection never takes its listeners off, so each call gets a signal of its own.
  const abortable = signal ? () => connection.withAbortSignal(AbortSignal.any([signal]), call) : call;
  return await connection.withDeadline(Date.now() + deadlineMs, abortable);
}

/** Whether asking again may help. */
export function isTransient(error: unknown): boolean {
  return TRANSIENT.has(grpcCode(error));
}

/** Whether the answer was larger than the connection takes; a smaller page may fit. */
export function isTooLargeAnswer(error: unknown): boolean {
  return grpcCode(error) === GRPC.resourceExhausted && detailsOf(error).includes('larger than max');
}

/** Whether the server says that there is no such run, or no longer. */
export function isNotFound(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || grpcCode(error) === GRPC.notFound;
}

/** What the server says where it does not do what it was asked because of the state that a run is in. */
export function preconditionOf(error: unknown): string | undefined {
  return grpcCode(error) === GRPC.failedPrecondition ? detailsOf(error) : undefined;
}

/** An error of ours for what a caller can act on; anything else unchanged. */
export function clearError(error: unknown, run: string, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof NamespaceNotFoundError) return new NamespaceNotFound(error.namespace, { cause: error });
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return error;
  if (isNotFound(error)) return new RunNotFound(run, { cause: error });
  if (isTransient(error)) return new ServerUnavailable(detailsOf(error), { cause: error });
  return error;
}

function grpcCode(error: unknown): number | undefined {
  return grpcErrorOf(error)?.code;
}

function detailsOf(error: unknown): string {
  // gRPC ends with a note on name resolution, which is empty as a rule.
  return (grpcErrorOf(error)?.details ?? String(error)).replace(/\.? *Resolution note: *$/, '');
}

function grpcErrorOf(error: unknown) {
  if (isGrpcServiceError(error)) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  return isGrpcServiceError(cause) ? cause : undefined;
}
