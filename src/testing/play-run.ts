// One agent run in this process, without a server: the real loop and the real activities, called one after the other.

import { ContextCache } from '../activities/context-cache.ts';
import type { Hooks } from '../activities/hooks.ts';
import { createActivities } from '../activities/index.ts';
import { createCostOf } from '../activities/prices.ts';
import { parseModelName } from '../adapters/by-name.ts';
import type { ModelAdapter } from '../adapters/model-adapter.ts';
import type { Agent } from '../agents/agent.ts';
import { ACTIVITIES } from '../protocol/activities.ts';
import { requestProblem } from '../protocol/check-request.ts';
import { CONTEXT_CACHE_BYTES, MAX_PAYLOAD_BYTES } from '../protocol/limits.ts';
import type { Message } from '../protocol/messages.ts';
import { userMessage } from '../protocol/messages.ts';
import type { RunRequest, RunResult, TurnResult } from '../protocol/run.ts';
import { createRegistry } from '../tools/registry.ts';
import { modelAnswerOfFailure } from '../workflows/failures.ts';
import { runTurn } from '../workflows/loop.ts';
import type { LoopState } from '../workflows/loop-ports.ts';
import { resultWithoutTurn, runResult, turnResult } from '../workflows/results.ts';
import { newRun, type Run } from '../workflows/run-state.ts';
import { newTranscript } from '../workflows/transcript.ts';
import { beginTurn } from '../workflows/turn.ts';
import { failed, type TurnEnd } from '../workflows/turn-end.ts';
import { inActivity } from './in-activity.ts';
import { type PlayedCall, playedCalls } from './played-calls.ts';
import { type Activities, type Outcomes, playedPorts } from './played-ports.ts';

/** What is played. */
export interface PlayRunOptions {
  readonly agent: Agent;
  /** What the run is asked: a prompt, and whatever else a run may be given. */
  readonly request: Omit<RunRequest, 'agent' | 'mode'>;
  /** Answers for every model of the agent. */
  readonly adapter: ModelAdapter;
  readonly hooks?: Hooks;
}

/** A run that has been played. */
export interface PlayedRun {
  readonly result: RunResult;
  /** The whole transcript. As `messages` of the next request it is the conversation to go on from. */
  readonly messages: readonly Message[];
  /** The calls of this turn in the model's order, each with its answer. */
  readonly calls: readonly PlayedCall[];
}

/** Stands for the workflow id, in what tools and hooks are told. */
const RUN_ID = 'played-run';
/** Looking up the agent is in memory; no real time-out applies here. */
const LOOK_UP_TIMEOUT_MS = 5_000;

/**
 * Plays one turn of an agent in milliseconds: limits, checks of inputs, parallel calls, attempts, hooks and gate are those
 * of a worker. What belongs to Temporal is not there: no history, no pauses between attempts, no cancel, no messages
 * meanwhile, no continue-as-new, and quick tools run like all others. Rejects only for a bug.
 */
export async function playRun({ agent, request, adapter, hooks = {} }: PlayRunOptions): Promise<PlayedRun> {
  const run = newRun({ ...request, agent: agent.name }, Date.now());
  const activities = activitiesOf(agent, adapter, hooks);
  const outcomes: Outcomes = new Map();
  const last = await takeTurn(run, activities, outcomes);
  const result = runResult(run, last);
  if (hooks.onDone) await lookUp(ACTIVITIES.runDone, () => activities[ACTIVITIES.runDone](result));
  const transcript = run.agent?.transcript;
  const seen = transcript?.lines.map((line) => JSON.parse(line) as Message) ?? [];
  const messages = [...seen, ...(transcript?.pending ?? [])];
  return { result, messages, calls: playedCalls(messages.slice(request.messages?.length ?? 0), outcomes) };
}

async function takeTurn(run: Run, activities: Activities, outcomes: Outcomes): Promise<TurnResult> {
  const begun = await begin(run, activities);
  if ('status' in begun) return resultWithoutTurn(begun);
  const end = await runTurn(begun, playedPorts({ ...begun, runId: RUN_ID, activities, outcomes }));
  if (end === 'link_full') throw new Error('a played run has no links');
  return turnResult(begun.turn, end);
}

/** What a run does before its first turn, and the turn's beginning. */
async function begin(run: Run, activities: Activities): Promise<LoopState | TurnEnd> {
  const problem = requestProblem(run.request);
  if (problem) return failed('invalid_request', problem);
  const { prompt, messages = [], metadata: _, ...request } = run.request;
  try {
    const snapshot = await lookUp(ACTIVITIES.resolveAgent, () => activities[ACTIVITIES.resolveAgent]({ request }));
    if (!snapshot) throw new Error('the agent was looked up for the first time, and nothing came back');
    const transcript = newTranscript(snapshot);
    transcript.pending.push(...messages);
    run.agent = { snapshot, transcript };
    run.turns = 1;
    const turn = beginTurn(1, transcript, prompt === undefined ? [] : [userMessage(prompt)]);
    return { snapshot, transcript, turn, run: run.spend };
  } catch (error) {
    const answer = modelAnswerOfFailure(error);
    if (answer.status !== 'failed') throw error;
    return failed(answer.reason, answer.message);
  }
}

function lookUp<T>(activityType: string, activity: () => Promise<T>): Promise<T> {
  const place = { run: RUN_ID, activityType, activityId: activityType, maxAttempts: 1 };
  return inActivity({ ...place, startToCloseTimeoutMs: LOOK_UP_TIMEOUT_MS }, activity);
}

function activitiesOf(agent: Agent, adapter: ModelAdapter, hooks: Hooks): Activities {
  return createActivities({
    agents: [agent],
    registry: createRegistry(agent.tools),
    models: { find: async (name) => ({ ...parseModelName(name), adapter }) },
    cache: new ContextCache(CONTEXT_CACHE_BYTES),
    hooks,
    maxPayloadBytes: MAX_PAYLOAD_BYTES,
    costOf: createCostOf(),
    hasSearchAttributes: async () => false,
  });
}
