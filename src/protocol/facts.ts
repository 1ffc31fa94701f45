// What only the workflow knows, written into its history with `upsertMemo({ 'pawl.facts': Fact[] })`.

import type { LastState, LimitName, Reason, Status, Usage } from './run.ts';

/** One fact. Each names the turn; texts are cut so that a batch stays under the memo's 2 KiB. */
export type Fact =
  | { readonly type: 'turn_started'; readonly turn: number }
  | {
      readonly type: 'agent_changed';
      readonly turn: number;
      readonly model: string;
      readonly changed: readonly string[];
    }
  | {
      readonly type: 'call_skipped';
      readonly turn: number;
      readonly iteration: number;
      readonly callId: string;
      readonly text: string;
    }
  | {
      readonly type: 'model_fallback';
      readonly turn: number;
      readonly iteration: number;
      readonly from: string;
      readonly to: string;
      readonly reason: Reason;
    }
  | {
      readonly type: 'compaction_failed';
      readonly turn: number;
      readonly iteration: number;
      readonly reason: Reason;
      readonly text: string;
    }
  | {
      readonly type: 'limit_reached';
      readonly turn: number;
      readonly iteration: number;
      readonly limit: LimitName;
      /** In the limit's own unit. */
      readonly value: number;
      readonly spent: number;
      readonly lastState: LastState;
    }
  | {
      readonly type: 'turn_finished';
      readonly turn: number;
      readonly status: Status;
      readonly reason?: Reason;
      /** Absent where the turn's text is that of its last model result. */
      readonly text?: string;
      readonly iterations: number;
      readonly usage: Usage;
      readonly costUsdMicros: number | null;
      readonly emptyAnswer?: boolean;
      /** Messages that wait: with any, the next turn starts in the same workflow task. */
      readonly queued: number;
    };
