import type { Context } from '@temporalio/activity';

/** Time between two beats. A cancel reaches an activity only as the answer to a beat, so this is how late it comes. */
const HEARTBEAT_MS = 1_000;
/** Time between two beats whose text has changed: faster than anyone reads, and four billed beats a second at most. */
const LIVE_HEARTBEAT_MS = 250;
/** Beats in a heartbeat timeout, at least: two may be lost or late. */
const BEATS_IN_TIMEOUT = 3;

export interface HeartbeatOptions {
  /** What the next beat carries. */
  details(): unknown;
  /** For details that people watch: a beat goes out early when this number has changed. */
  version?(): number;
}

/**
 * Beats until the returned function is called. A local activity has no heartbeat; for it nothing is sent.
 * No beat goes out at once: most calls are done before the first is due.
 */
export function startHeartbeat(context: Context, { details, version }: HeartbeatOptions): () => void {
  if (context.info.isLocal) return () => undefined;
  const beat = () => context.heartbeat(details());
  const timers = [setInterval(beat, beatMs(context))];
  if (version) timers.push(setInterval(onChange(version, beat), LIVE_HEARTBEAT_MS));
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}

function beatMs(context: Context): number {
  const { heartbeatTimeoutMs } = context.info;
  return heartbeatTimeoutMs ? Math.min(HEARTBEAT_MS, heartbeatTimeoutMs / BEATS_IN_TIMEOUT) : HEARTBEAT_MS;
}

function onChange(version: () => number, act: () => void): () => void {
  let seen = version();
  return () => {
    const now = version();
    if (now === seen) return;
    seen = now;
    act();
  };
}
