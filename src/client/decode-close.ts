import { ApplicationFailure } from '@temporalio/common';
import type { LinkEnding } from './decoded-event.ts';
import { type Converters, type HistoryEvent, valuesOf } from './payloads.ts';

/** How a link ended, if this event is its last one. */
export function decodeClose(event: HistoryEvent, converters: Converters): LinkEnding | undefined {
  const continued = event.workflowExecutionContinuedAsNewEventAttributes;
  if (continued) return { status: 'continued', runId: continued.newExecutionRunId ?? '' };
  const completed = event.workflowExecutionCompletedEventAttributes;
  if (completed) return { status: 'completed', result: valuesOf(completed.result, converters)[0] };
  if (event.workflowExecutionFailedEventAttributes) return failedEnding(event, converters);
  if (event.workflowExecutionCanceledEventAttributes) return { status: 'cancelled' };
  if (event.workflowExecutionTimedOutEventAttributes) return { status: 'timed_out' };
  const terminated = event.workflowExecutionTerminatedEventAttributes;
  if (!terminated) return undefined;
  return { status: 'terminated', reason: terminated.reason ?? '', identity: terminated.identity ?? '' };
}

function failedEnding(event: HistoryEvent, { failureConverter, payloadConverter }: Converters): LinkEnding {
  const failure = event.workflowExecutionFailedEventAttributes?.failure;
  const error = failureConverter.failureToError(failure ?? {}, payloadConverter);
  const [failureType, details] = error instanceof ApplicationFailure ? [error.type, error.details?.[0]] : [];
  return { status: 'failed', failureType: failureType ?? '', message: error.message, details };
}
