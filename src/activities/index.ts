import { Context } from '@temporalio/activity';
import { ACTIVITIES, type CallTool, type PawlActivities } from '../protocol/activities.ts';
import type { Effect } from '../protocol/snapshot.ts';
import { type CallModelDeps, createCallModel } from './call-model.ts';
import { createCallTool } from './call-tool.ts';
import { createChangeHead } from './change-head.ts';
import type { FinishedResults } from './finished-results.ts';
import { createGate } from './gate.ts';
import type { Hooks } from './hooks.ts';
import type { LeaseJournal } from './leases.ts';
import { createObserve } from './observe.ts';
import { createResolveAgent, type ResolveAgentDeps } from './resolve-agent.ts';
import { createRunDone } from './run-done.ts';
import { createSummarize } from './summarize.ts';
import { withLease } from './with-lease.ts';

/**
 * What the activities of a worker need. `leases` absent: the heartbeat time-out alone decides about lost attempts.
 * `results` absent: results are returned to whoever calls.
 */
export interface ActivityDeps extends Omit<ResolveAgentDeps, 'onDone'>, Omit<CallModelDeps, 'observe'> {
  readonly hooks: Hooks;
  readonly leases?: LeaseJournal;
  readonly results?: FinishedResults;
}

/** The activities of a worker. Temporal hands every type that is not ours to `default`: the dispatcher of all tools. */
export function createActivities(deps: ActivityDeps): PawlActivities & { default: CallTool } {
  const { registry, hooks, leases, results } = deps;
  const observe = createObserve(hooks);
  const callModel = createCallModel({ ...deps, observe });
  const summarize = createSummarize({ ...deps, observe });
  const changeHead = createChangeHead(deps);
  const callTool = createCallTool({ registry, observe, askGate: createGate(hooks) });
  const attempt = <T extends object>(effect: Effect, run: () => Promise<T>) =>
    withLease(leases, effect, () => (results ? results.deliver(run) : run()));
  return {
    [ACTIVITIES.resolveAgent]: createResolveAgent({ ...deps, onDone: hooks.onDone !== undefined }),
    [ACTIVITIES.callModel]: (input) => attempt('read', () => callModel(input)),
    [ACTIVITIES.summarize]: (input) => attempt('read', () => summarize(input)),
    [ACTIVITIES.changeHead]: (input) => withLease(leases, 'read', () => changeHead(input)),
    [ACTIVITIES.runDone]: createRunDone(observe),
    default: (input) => attempt(effectHere(deps), () => callTool(input)),
  };
}

/** The effect of the tool that is called. One that is not here runs nothing. */
function effectHere({ registry }: ActivityDeps): Effect {
  return registry.get(Context.current().info.activityType)?.effect ?? 'read';
}
