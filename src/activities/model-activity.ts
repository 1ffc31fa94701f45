import { Context } from '@temporalio/activity';
import type { Position } from '../protocol/activities.ts';
import { failureOfStop } from './endings.ts';
import { toActivityFailure } from './failure.ts';
import { startHeartbeat } from './heartbeat.ts';
import type { HookPlace } from './hooks.ts';
import { LiveText } from './live-text.ts';
import type { Observe } from './observe.ts';

/** An activity that asks a model, while it runs. */
export interface ModelActivity {
  readonly context: Context;
  readonly place: HookPlace;
  /** What people who watch the run are shown of the answer, where the input asks for it. */
  readonly live: LiveText;
}

interface Asked extends Position {
  readonly agent: string;
  readonly model: string;
  readonly live?: boolean;
}

/** Does the work of the activity that runs, with signs of life. Failures carry the reason in their type; retries are Temporal's. */
export async function inModelActivity<Result>(
  observe: Observe,
  { turn, iteration, agent, model, live: isWatched }: Asked,
  work: (activity: ModelActivity) => Promise<Result>,
): Promise<Result> {
  const context = Context.current();
  const { workflowExecution, attempt } = context.info;
  const place = { run: workflowExecution?.workflowId ?? '', turn, iteration, agent, attempt };
  const live = new LiveText(place);
  const stopBeating = startHeartbeat(context, isWatched ? live : { details: () => undefined });
  try {
    return await work({ context, place, live });
  } catch (error) {
    if (context.cancellationSignal.aborted) throw failureOfStop(context);
    observe('onError', { ...place, name: model, error });
    throw toActivityFailure(error, attempt);
  } finally {
    stopBeating();
  }
}
