import { ACTIVITIES } from '../protocol/activities.ts';
import type { RunEvent } from '../protocol/events.ts';
import type { Fact } from '../protocol/facts.ts';
import { assertNever } from '../protocol/json.ts';
import { MEMO, type RunResult, type SendRequest, UPDATES } from '../protocol/run.ts';
import type { AgentSnapshot } from '../protocol/snapshot.ts';
import { restoreView } from './carried.ts';
import type { DecodedEvent, LinkEnding } from './decoded-event.ts';
import { createEmitter, type Draft, type Emit } from './event-emitter.ts';
import { flushVerdicts, leaveCalls, onAttempt, onEnded, onGivenUp, onLocal, onScheduled } from './reduce-activities.ts';
import { onFact } from './reduce-facts.ts';
import { resultOf } from './run-ending.ts';
import { newView, type RunView } from './run-view.ts';

type Of<Type extends DecodedEvent['type']> = Extract<DecodedEvent, { type: Type }>;

/** Makes the events of a run from its history, event by event, in order, from the beginning of any link. */
export interface Reducer {
  push(event: DecodedEvent): readonly RunEvent[];
  /** Where the run stands, as of the last event pushed. */
  readonly view: Readonly<RunView>;
}

/** A reducer is pure: the same history gives the same events, byte for byte. */
export function createReducer(run: string): Reducer {
  const view = newView(run);
  const emitter = createEmitter(run);
  return {
    view,
    push: (event) =>
      emitter.collect(event, (emit) => {
        if (event.type === 'link_started') emitter.started ||= event.args.length > 1;
        const start = startedBy(view, event);
        if (start && !emitter.started) emit(start);
        reduce(view, event, emit);
      }),
  };
}

function reduce(view: RunView, event: DecodedEvent, emit: Emit): void {
  switch (event.type) {
    case 'link_started':
      onLinkStarted(view, event);
      break;
    case 'activity_scheduled':
      onScheduled(view, event, emit);
      break;
    case 'activity_started':
      onAttempt(view, event);
      break;
    case 'activity_ended':
      onEnded(view, event, emit);
      break;
    case 'activity_given_up':
      onGivenUp(view, event, emit);
      break;
    case 'local_activity_ended':
      onLocal(view, event, emit);
      break;
    case 'memo_changed':
      onMemo(view, event, emit);
      break;
    case 'update_admitted':
      onAdmitted(view, event);
      break;
    case 'update_accepted':
      onAccepted(view, event, emit);
      break;
    case 'link_closed':
      onLinkClosed(view, event.ending, event.at, emit);
      break;
    case 'links_expired':
      emit({ type: 'history_expired', turn: view.turn, links: event.links });
      break;
    case 'task_started':
      view.taskStartedAtMs = Date.parse(event.at);
      break;
    case 'link_reset':
    case 'other':
      break;
    default:
      assertNever(event);
  }
}

/** What tells the beginning of the run: its agent is known, or never will be. */
function startedBy(view: RunView, event: DecodedEvent): Draft | undefined {
  if (event.type === 'local_activity_ended' && event.name === ACTIVITIES.resolveAgent) {
    if (event.ending.status === 'completed') {
      view.lookedUp = (event.ending.result as AgentSnapshot | null) ?? undefined;
      view.snapshot ??= view.lookedUp;
    }
  } else if (event.type !== 'link_closed') return undefined;
  const { request, snapshot, turn } = view;
  const agent = snapshot?.agent ?? request?.agent ?? '';
  return { type: 'run_started', turn, agent, model: snapshot?.model ?? request?.model ?? '', prompt: request?.prompt };
}

function onLinkStarted(view: RunView, { args }: Of<'link_started'>): void {
  restoreView(view, args);
}

function onMemo(view: RunView, { memo }: Of<'memo_changed'>, emit: Emit): void {
  const facts = (memo[MEMO.facts] ?? []) as readonly Fact[];
  for (const fact of facts) onFact(view, fact, emit);
  if (memo[MEMO.result]) view.memoResult = memo[MEMO.result] as RunResult;
}

function onAdmitted(view: RunView, { updateId, update }: Of<'update_admitted'>): void {
  if (update.name === UPDATES.send) view.admitted.set(updateId, update.input as SendRequest);
}

function onAccepted(view: RunView, { updateId, update }: Of<'update_accepted'>, emit: Emit): void {
  const sent = update?.name === UPDATES.send ? (update.input as SendRequest) : view.admitted.get(updateId);
  if (!sent || view.seenRequests.has(sent.requestId)) return;
  view.seenRequests.add(sent.requestId);
  const turn = view.turnIsOpen ? view.turn : view.turn + 1;
  emit({ type: 'user_message', turn, prompt: sent.prompt, requestId: sent.requestId });
}

function onLinkClosed(view: RunView, ending: LinkEnding, at: string, emit: Emit): void {
  flushVerdicts(view, emit);
  if (ending.status === 'continued') {
    emit({ type: 'run_continued', turn: view.turn, link: view.link + 1 });
    return;
  }
  leaveCalls(view, ending.status, at, emit);
  view.result = resultOf(ending, view);
  emit({ type: 'run_finished', turn: view.turn, result: view.result });
}
