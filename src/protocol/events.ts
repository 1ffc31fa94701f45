// One fact about a run, in order: what `AgentClient.events` yields and `--json` prints, one object a line.

import type { StopReason } from './activities.ts';
import type { JsonObject, Prompt, ResultContent } from './messages.ts';
import type { LastState, LimitName, Outcome, Reason, RunResult, Status, Usage } from './run.ts';

interface Base {
  /** `<link>.<eventId>.<index>`: ordered, and good for going on after it. */
  readonly cursor: string;
  /** ISO 8601, the server's time. */
  readonly at: string;
  readonly run: string;
  readonly turn: number;
  readonly iteration?: number;
}

/** A call that the model asks for, as an event names it. */
export interface EventCall {
  readonly callId: string;
  readonly name: string;
  readonly input: JsonObject;
}

export type RunEvent = Base &
  (
    | { readonly type: 'run_started'; readonly agent: string; readonly model: string; readonly prompt?: Prompt }
    | { readonly type: 'turn_started' }
    /** A deploy has changed the agent since the last turn. `changed` names the settings that are now others. */
    | { readonly type: 'agent_changed'; readonly model: string; readonly changed: readonly string[] }
    | { readonly type: 'iteration_started' }
    | {
        readonly type: 'model_result';
        readonly stopReason: StopReason;
        readonly rawStopReason: string;
        readonly model: string;
        readonly attempts: number;
        readonly usage: Usage;
        readonly costUsdMicros: number | null;
        readonly calls: readonly EventCall[];
      }
    | { readonly type: 'assistant_text'; readonly text: string }
    | ({ readonly type: 'tool_call' } & EventCall)
    | {
        readonly type: 'tool_result';
        readonly callId: string;
        readonly name: string;
        readonly outcome: Outcome;
        readonly isError: boolean;
        readonly output: readonly ResultContent[];
        /** 0 where no handler was run. */
        readonly attempts: number;
        readonly durationMs: number;
      }
    | { readonly type: 'user_message'; readonly prompt: Prompt; readonly requestId: string }
    /** The model can't answer, and the next one is asked in the same iteration. */
    | {
        readonly type: 'model_fallback';
        readonly from: string;
        readonly to: string;
        readonly reason: Reason;
      }
    /** Older messages were put into a summary: from here on the model is shown that and the newest messages. */
    | {
        readonly type: 'compacted';
        readonly context: number;
        /** Messages that the summary stands for, and messages that stayed as they were. */
        readonly summarized: number;
        readonly kept: number;
        readonly summary: string;
        readonly model: string;
        readonly attempts: number;
        readonly usage: Usage;
        readonly costUsdMicros: number | null;
      }
    /** A model gave no summary. Where no other one is asked, the run goes on with the whole context as long as it is taken. */
    | { readonly type: 'compaction_failed'; readonly reason: Reason; readonly text: string }
    | {
        readonly type: 'limit_reached';
        readonly limit: LimitName;
        readonly value: number;
        readonly spent: number;
        readonly lastState: LastState;
      }
    /** Once a turn, before `turn_finished`: `total` is the sum over the run. */
    | {
        readonly type: 'usage';
        readonly usage: { readonly turn: Usage; readonly total: Usage };
        readonly costUsdMicros: { readonly turn: number | null; readonly total: number | null };
      }
    | { readonly type: 'final_text'; readonly text: string }
    | {
        readonly type: 'turn_finished';
        readonly status: Status;
        readonly reason?: Reason;
        readonly iterations: number;
        readonly emptyAnswer?: boolean;
        readonly queued: number;
      }
    /** The run goes on in the next link. */
    | { readonly type: 'run_continued'; readonly link: number }
    | { readonly type: 'run_finished'; readonly result: RunResult }
    /** The histories of these links are past the namespace's retention; reading goes on after them. */
    | { readonly type: 'history_expired'; readonly links: readonly number[] }
  );

export type RunEventType = RunEvent['type'];
