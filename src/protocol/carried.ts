import type { ContextRef } from './activities.ts';
import type { LastState, Usage } from './run.ts';
import type { AgentSnapshot } from './snapshot.ts';

/** What a reader needs of the state that continue-as-new carries: the second argument of every link but the first. */
export interface CarriedView {
  readonly link: number;
  readonly snapshot: AgentSnapshot;
  readonly transcript: Pick<ContextRef, 'digest'>;
  /** Requests whose messages have been told before: a repeated delivery of one tells nothing. */
  readonly inbox: { readonly seen: readonly (readonly [requestId: string, turn: number])[] };
  readonly spend: { readonly usage: Usage; readonly costUsdMicros: number | null };
  readonly turns: number;
  /** The turn in progress. `start`: the length of the context where it began. */
  readonly turn: {
    readonly iteration: number;
    readonly lastState: LastState;
    readonly start: { readonly length: number };
  } | null;
}
