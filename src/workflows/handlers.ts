import { ApplicationFailure } from '@temporalio/common';
import { defineQuery, defineUpdate, setHandler } from '@temporalio/workflow';
import { CONTEXT_PAGE_CHARS } from '../protocol/limits.ts';
import { QUERIES, RUN_FAILURES, type RunState, type SendReceipt, type SendRequest, UPDATES } from '../protocol/run.ts';
import { accept, sendRefusal } from './inbox.ts';
import { type Run, stateOf } from './run-state.ts';
import { pageOf } from './transcript.ts';

const sendUpdate = defineUpdate<SendReceipt, [SendRequest]>(UPDATES.send);
const closeUpdate = defineUpdate<RunState>(UPDATES.close);
const statusQuery = defineQuery<RunState>(QUERIES.status);
const contextQuery = defineQuery<string, [context: number, length: number, offset: number, chars: number]>(
  QUERIES.context,
);

/** Installs updates and queries. They record and return, and never await: what they accept is in the state at once. */
export function installHandlers(run: Run): void {
  setHandler(sendUpdate, (request) => accept(run.inbox, request, turnOfNextMessage(run)), {
    description: 'Says something to the run: { requestId, prompt }.',
    validator: (request) => {
      const refusal = sendRefusal(run.inbox, request);
      if (refusal) throw ApplicationFailure.create({ ...refusal, nonRetryable: true });
    },
  });
  setHandler(
    closeUpdate,
    () => {
      run.inbox.closeRequested = true;
      return stateOf(run);
    },
    { description: 'Ends the run once everything that was said is answered.' },
  );
  setHandler(statusQuery, () => stateOf(run), { description: 'Where the run stands.' });
  setHandler(contextQuery, (context, length, offset, chars) => contextPage(run, context, length, offset, chars), {
    description: 'A page of what the model is shown, as JSON lines.',
  });
}

/** A message that comes during a turn joins it, or starts the next one. */
function turnOfNextMessage(run: Run): number {
  return run.turn ? run.turns : run.turns + 1;
}

function contextPage(run: Run, context: number, length: number, offset: number, chars: number): string {
  const transcript = run.agent?.transcript;
  if (transcript?.context !== context || length > transcript.lines.length) {
    const message = `context ${context} with ${length} messages is not here`;
    throw ApplicationFailure.create({ type: RUN_FAILURES.invalid, message, nonRetryable: true });
  }
  return pageOf(transcript, length, offset, Math.min(chars, CONTEXT_PAGE_CHARS));
}
