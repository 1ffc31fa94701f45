import { promptProblem } from '../protocol/check-messages.ts';
import { MAX_QUEUED_MESSAGES, MAX_SEEN_REQUEST_IDS } from '../protocol/limits.ts';
import { type UserMessage, userMessage } from '../protocol/messages.ts';
import { RUN_FAILURES, type SendReceipt, type SendRequest } from '../protocol/run.ts';

/** What users have said and the run has not taken in yet. Every accepted message is taken exactly once, in order. */
export interface Inbox {
  queue: UserMessage[];
  /** Receipts by request id, oldest first: a repeated delivery gets the receipt of the first one. */
  seen: [requestId: string, turn: number][];
  /** A user has asked to end the run after what is queued. */
  closeRequested: boolean;
  /** The run has decided to end. From here on nothing is accepted, so nothing can be lost. */
  closing: boolean;
}

/** Why a message is refused: the failure's type, and a sentence that names the mend. */
export interface Refusal {
  readonly type: string;
  readonly message: string;
}

export function newInbox(): Inbox {
  return { queue: [], seen: [], closeRequested: false, closing: false };
}

/** Why `send` must be refused, or undefined. A refusal leaves no trace in the history. */
export function sendRefusal(inbox: Inbox, request: SendRequest): Refusal | undefined {
  if (!request || typeof request.requestId !== 'string' || request.requestId === '') {
    return {
      type: RUN_FAILURES.invalid,
      message: 'send needs { requestId, prompt } with a requestId that is not empty',
    };
  }
  if (inbox.seen.some(([id]) => id === request.requestId)) return undefined;
  if (inbox.closing || inbox.closeRequested) {
    return { type: RUN_FAILURES.closing, message: 'the run is closing and takes no more messages; start a new one' };
  }
  const problem = promptProblem(request.prompt);
  if (problem) return { type: RUN_FAILURES.invalid, message: `${problem}; send some text` };
  if (inbox.queue.length < MAX_QUEUED_MESSAGES) return undefined;
  return {
    type: RUN_FAILURES.invalid,
    message: `${MAX_QUEUED_MESSAGES} messages are waiting already; wait for the turn to finish`,
  };
}

/** Takes in a message that was not refused. */
export function accept(inbox: Inbox, { requestId, prompt }: SendRequest, turn: number): SendReceipt {
  const known = inbox.seen.find(([id]) => id === requestId);
  if (known) return { turn: known[1] };
  inbox.seen.push([requestId, turn]);
  if (inbox.seen.length > MAX_SEEN_REQUEST_IDS) inbox.seen.shift();
  inbox.queue.push(userMessage(prompt));
  return { turn };
}

/** Empties the queue. */
export function takeAll(inbox: Inbox): UserMessage[] {
  return inbox.queue.splice(0);
}
