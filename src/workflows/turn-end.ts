import type { JsonValue } from '../protocol/messages.ts';
import type { Reason, Status } from '../protocol/run.ts';

/** The end of a turn, before it is dressed as a `TurnResult`. */
export interface TurnEnd {
  readonly status: Status;
  readonly reason?: Reason;
  readonly text: string;
  /** The text is that of the turn's last model result, which history holds in full. */
  readonly textIsAnswer: boolean;
  readonly output?: JsonValue;
  readonly emptyAnswer?: boolean;
}

/** The end of a turn that has its answer. */
export function completed(text: string, output?: JsonValue): TurnEnd {
  return { status: 'completed', text, textIsAnswer: true, ...(output !== undefined && { output }) };
}

/** The end that a cancelled run has. */
export function cancelled(): TurnEnd {
  return { status: 'cancelled', reason: 'user_cancelled', text: 'The run was cancelled.', textIsAnswer: false };
}

/** The end of what could not go on. */
export function failed(reason: Reason, message: string): TurnEnd {
  return { status: 'failed', reason, text: message, textIsAnswer: false };
}

/** The end that a refusal of the model is, in the provider's words. */
export function refused(stopReason: 'refusal' | 'content_filter', details: string): TurnEnd {
  const text = `The model refused to answer${details ? `: ${details}` : '.'}`;
  return { status: 'refused', reason: stopReason, text, textIsAnswer: false };
}

/** The end of a turn whose calls the output limit has cut again and again. */
export function cutAgain(times: number): TurnEnd {
  const text = `The output limit cut the model's calls ${times} times; raise maxOutputTokens.`;
  return { status: 'truncated', reason: 'truncated', text, textIsAnswer: false };
}

/** The end of a turn in which the model only paused. */
export function pausedTooOften(times: number, text: string): TurnEnd {
  const message = `Stopped: the model paused ${times} times within the turn.${text ? ` Last: ${text}` : ''}`;
  return { status: 'limit_reached', reason: 'pause_limit', text: message, textIsAnswer: false };
}
