// How activities are called. Each number has its reason; the numbers that other realms need stand in protocol/limits.ts.

import type { ActivityOptions, LocalActivityOptions } from '@temporalio/common';
import { ActivityCancellationType } from '@temporalio/workflow';
import { NON_RETRYABLE } from '../protocol/activities.ts';
import { GATE_TIMEOUT_MS, QUICK_TOOL_TIMEOUT_MS } from '../protocol/limits.ts';
import type { AgentSnapshot, ToolSnapshot } from '../protocol/snapshot.ts';

/** The longest answers of reasoning models take minutes; ten are past all of them. */
const MODEL_TIMEOUT_MS = 10 * 60_000;
/** A worker without the context in memory reads it page by page; the activity itself gives that ten seconds. */
const CONTEXT_TIMEOUT_MS = 30_000;
/** Looking up a definition in memory; a worker under load may still take a moment. */
const RESOLVE_TIMEOUT_MS = 5_000;
/** The activity ends a tool's time itself; the server's time-out comes after the gate's and the tool's, for a worker that no longer can. */
const TOOL_GRACE_MS = 2 * GATE_TIMEOUT_MS;
/** Attempts that may be lost to crashes and deploys beside those that the tool's own failures use up. */
const LOST_ATTEMPTS = 20;
/** First pause before a retry; a provider's own `retry-after` goes before it. */
const INITIAL_RETRY_MS = 1_000;
/** Longest pause: an outage that ends is noticed within a minute. */
const MAX_RETRY_MS = 60_000;

const BACKOFF = {
  initialInterval: INITIAL_RETRY_MS,
  backoffCoefficient: 2,
  maximumInterval: MAX_RETRY_MS,
  nonRetryableErrorTypes: [...NON_RETRYABLE],
};

/** Cancel asks the activity to stop and goes on at once; the next heartbeat tells the worker. */
const CANCELLATION = { cancellationType: ActivityCancellationType.TRY_CANCEL };

/** A model call: retried by Temporal alone, at most `modelAttempts` times in all. */
export function modelCallOptions(snapshot: AgentSnapshot, summary: string): ActivityOptions {
  return {
    ...CANCELLATION,
    summary,
    startToCloseTimeout: MODEL_TIMEOUT_MS,
    heartbeatTimeout: snapshot.heartbeatTimeoutMs,
    retry: { ...BACKOFF, maximumAttempts: snapshot.modelAttempts },
  };
}

/** A tool call under its own name. `once` gets a single attempt, whatever becomes of it. */
export function toolCallOptions(
  snapshot: AgentSnapshot,
  tool: ToolSnapshot,
  callId: string,
  summary: string,
): ActivityOptions {
  return {
    ...CANCELLATION,
    activityId: callId,
    summary,
    startToCloseTimeout: tool.timeoutMs + TOOL_GRACE_MS,
    heartbeatTimeout: snapshot.heartbeatTimeoutMs,
    retry: { ...BACKOFF, maximumAttempts: tool.effect === 'once' ? 1 : tool.maxAttempts + LOST_ATTEMPTS },
  };
}

/** A quick call inside the workflow task: one attempt, since the ordinary activity follows a failure. */
export function quickCallOptions(summary: string): LocalActivityOptions {
  return { ...CANCELLATION, summary, startToCloseTimeout: QUICK_TOOL_TIMEOUT_MS, retry: { maximumAttempts: 1 } };
}

/** Looking up the agent, or telling a hook of the end: in memory, inside the workflow task. */
export function lookUpOptions(): LocalActivityOptions {
  return { startToCloseTimeout: RESOLVE_TIMEOUT_MS, retry: { ...BACKOFF, maximumAttempts: 3 } };
}

/** Putting a context together, in memory but for what the run is asked. */
export function contextOptions(): ActivityOptions {
  return { ...CANCELLATION, startToCloseTimeout: CONTEXT_TIMEOUT_MS, retry: { ...BACKOFF, maximumAttempts: 3 } };
}
