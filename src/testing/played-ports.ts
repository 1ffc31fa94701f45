import type { createActivities } from '../activities/index.ts';
import { ACTIVITIES, type Position, type ToolResult } from '../protocol/activities.ts';
import { outcomeOfFailure } from '../protocol/outcomes.ts';
import type { Outcome } from '../protocol/run.ts';
import { modelCallOptions, toolCallOptions } from '../workflows/activity-options.ts';
import { type CallRequest, textResult } from '../workflows/dispatch.ts';
import { callFailureOf, modelAnswerOfFailure } from '../workflows/failures.ts';
import type { CompactionPlan, LoopPorts, LoopState, ModelAnswer, SummaryAnswer } from '../workflows/loop-ports.ts';
import { baseOf } from '../workflows/transcript.ts';
import { type ActivityPlace, inActivity } from './in-activity.ts';

/** The activities of a worker. */
export type Activities = ReturnType<typeof createActivities>;

/** How each call ended, by call id: what a transcript does not say. */
export type Outcomes = Map<string, Outcome>;

/** What a played run is made of. */
export interface Played extends Pick<LoopState, 'snapshot' | 'transcript'> {
  readonly runId: string;
  readonly activities: Activities;
  readonly outcomes: Outcomes;
}

/** The world of a loop that is played in this process: nobody says or cancels anything, and no link is ever full. */
export function playedPorts(played: Played): LoopPorts {
  return {
    callModel: (position, model) => callModel(played, position, model),
    summarize: (position, model, plan) => summarize(played, { ...position, ...plan, model }),
    runCall: (position) => (request) => callTool(played, position, request),
    takeQueued: () => [],
    queued: () => 0,
    fact(fact) {
      if (fact.type === 'call_skipped') played.outcomes.set(fact.callId, 'skipped');
    },
    nowMs: () => Date.now(),
    cancelRequested: () => false,
    linkIsFull: () => false,
  };
}

function callModel(played: Played, position: Position, model: string): Promise<ModelAnswer> {
  const { snapshot, transcript, activities } = played;
  const { agent, maxOutputTokens, streamIdleTimeoutMs, modelOptions, providerTools, providerThread } = snapshot;
  const settings = { agent, maxOutputTokens, streamIdleTimeoutMs, modelOptions, providerTools, providerThread };
  const input = { ...position, ...settings, model, base: baseOf(transcript), append: [...transcript.pending] };
  return askModel(played, { type: ACTIVITIES.callModel, model }, () => activities[ACTIVITIES.callModel](input));
}

function summarize(
  played: Played,
  given: Position & CompactionPlan & { readonly model: string },
): Promise<SummaryAnswer> {
  const { snapshot, transcript, activities } = played;
  const { agent, streamIdleTimeoutMs } = snapshot;
  const contextWindowTokens = snapshot.compaction?.contextWindowTokens ?? 0;
  const input = { ...given, agent, streamIdleTimeoutMs, contextWindowTokens, base: baseOf(transcript) };
  const { model } = given;
  return askModel(played, { type: ACTIVITIES.summarize, model }, () => activities[ACTIVITIES.summarize](input));
}

/** An activity that asks a model, and its failure as the loop takes it. */
async function askModel<Result>(
  { snapshot, runId }: Played,
  { type, model }: { readonly type: string; readonly model: string },
  ask: () => Promise<Result>,
) {
  const place = placeOf(type, modelCallOptions(snapshot, model));
  try {
    return { status: 'completed' as const, result: await inActivity({ ...place, run: runId }, ask) };
  } catch (error) {
    return modelAnswerOfFailure(error);
  }
}

async function callTool(
  { snapshot, runId, activities, outcomes }: Played,
  position: Position,
  { call, tool, maxResultBytes }: CallRequest,
): Promise<ToolResult> {
  const { callId, input } = call;
  const place = { ...placeOf(tool.name, toolCallOptions(snapshot, tool, callId, '')), activityId: callId, run: runId };
  const asked = { ...position, callId, input, agent: snapshot.agent, maxResultBytes };
  const result = await inActivity(place, () => activities.default(asked)).catch((error: unknown) => {
    const { outcome, text } = outcomeOfFailure(callFailureOf(error), tool.effect, tool.name);
    return textResult(call, outcome, text);
  });
  outcomes.set(callId, result.outcome);
  return result;
}

type Options = ReturnType<typeof modelCallOptions>;

/** The retry policy and the time-out that the workflow would give to the server. */
function placeOf(activityType: string, { retry, startToCloseTimeout }: Options): Omit<ActivityPlace, 'run'> {
  return {
    activityType,
    activityId: activityType,
    startToCloseTimeoutMs: Number(startToCloseTimeout),
    maxAttempts: retry?.maximumAttempts ?? 1,
  };
}
