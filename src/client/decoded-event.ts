// A history event as the reducer reads it: plain, decoded, and freed of Temporal's classes.

import type { CallFailure } from '../protocol/outcomes.ts';

/** How an activity ended, local or not. */
export type ActivityEnding =
  | { readonly status: 'completed'; readonly result: unknown }
  | { readonly status: 'failed'; readonly failure: CallFailure };

/** How a link ended. All but `continued` end the run, unless a reset goes on from it. */
export type LinkEnding =
  | { readonly status: 'completed'; readonly result: unknown }
  | { readonly status: 'failed'; readonly failureType: string; readonly message: string; readonly details: unknown }
  | { readonly status: 'cancelled' }
  | { readonly status: 'terminated'; readonly reason: string; readonly identity: string }
  | { readonly status: 'timed_out' }
  | { readonly status: 'continued'; readonly runId: string };

/** What an update asks for. */
export interface UpdateRequest {
  readonly name: string;
  readonly input: unknown;
}

interface Base {
  /** Number of the link within its run, from 1 on. */
  readonly link: number;
  /** Number of the event within its link; 0 for what no history event tells. */
  readonly eventId: number;
  /** ISO 8601, the server's time. */
  readonly at: string;
}

/** What of a history the events and the transcript of a run are made from. */
export type DecodedEvent = Base &
  /** `args`: the request; in every link but the first, then the carried state and the segments of the context. */
  (
    | { readonly type: 'link_started'; readonly args: readonly unknown[] }
    /** A workflow task: the first one shows that there is a worker. */
    | { readonly type: 'task_started' }
    | {
        readonly type: 'activity_scheduled';
        readonly activityId: string;
        readonly name: string;
        readonly input: unknown;
      }
    | { readonly type: 'activity_started'; readonly scheduledId: number; readonly attempt: number }
    | { readonly type: 'activity_ended'; readonly scheduledId: number; readonly ending: ActivityEnding }
    /** With the cancellation type that Pawl uses, this is where the run gives the activity up. */
    | { readonly type: 'activity_given_up'; readonly scheduledId: number }
    | {
        readonly type: 'local_activity_ended';
        readonly name: string;
        readonly attempt: number;
        /** In workflow time, which begins with the start of the workflow task. */
        readonly completedAtMs: number;
        readonly ending: ActivityEnding;
      }
    | { readonly type: 'memo_changed'; readonly memo: Readonly<Record<string, unknown>> }
    | { readonly type: 'update_admitted'; readonly updateId: string; readonly update: UpdateRequest }
    /** After a reset it has no request: `update_admitted` has it there. */
    | { readonly type: 'update_accepted'; readonly updateId: string; readonly update?: UpdateRequest }
    | { readonly type: 'link_closed'; readonly ending: LinkEnding }
    /** All before this event was copied from the link that a reset has ended; `runId` is the new link's. */
    | { readonly type: 'link_reset'; readonly runId: string }
    /** The histories of these links are gone; `link` is the first one that is left. */
    | { readonly type: 'links_expired'; readonly links: readonly number[] }
    /** Nothing for the reducer. It stands for its event id, so that a reader knows how far it has come. */
    | { readonly type: 'other' }
  );
