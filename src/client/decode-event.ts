// Temporal's history events, turned into the plain ones that the reducer reads. Payloads come in already fetched and decrypted.

import {
  ApplicationFailure,
  CancelledFailure,
  type Payload,
  type ProtoFailure,
  TimeoutFailure,
} from '@temporalio/common';
import { tsToMs } from '@temporalio/common/lib/time.js';
import type { temporal } from '@temporalio/proto';
import type { CallFailure } from '../protocol/outcomes.ts';
import { decodeClose } from './decode-close.ts';
import type { ActivityEnding, DecodedEvent, UpdateRequest } from './decoded-event.ts';
import { type Converters, type HistoryEvent, valuesOf } from './payloads.ts';

/** Core's name for the marker of a local activity, and what it writes into the marker's details. */
const LOCAL_ACTIVITY = 'core_local_activity';
interface LocalActivityData {
  readonly activity_type: string;
  readonly attempt: number;
  readonly complete_time: { readonly seconds: number; readonly nanos?: number } | null;
}

type Body = DecodedEvent extends infer Event
  ? Event extends unknown
    ? Omit<Event, 'link' | 'eventId' | 'at'>
    : never
  : never;

/** One event of link number `link`, decoded. Throws where a payload is no value of the converter's. */
export function decodeEvent(event: HistoryEvent, link: number, converters: Converters): DecodedEvent {
  const at = new Date(tsToMs(event.eventTime)).toISOString();
  return { link, eventId: Number(event.eventId), at, ...bodyOf(event, converters) } as DecodedEvent;
}

function bodyOf(event: HistoryEvent, converters: Converters): Body {
  if (event.workflowExecutionStartedEventAttributes) {
    return { type: 'link_started', args: valuesOf(event.workflowExecutionStartedEventAttributes.input, converters) };
  }
  if (event.workflowTaskStartedEventAttributes) return { type: 'task_started' };
  // Set in the failed task of a reset, and nowhere else.
  const resetTo = event.workflowTaskFailedEventAttributes?.newRunId;
  if (resetTo) return { type: 'link_reset', runId: resetTo };
  return (
    activityBody(event, converters) ??
    markerOrMemoBody(event, converters) ??
    updateBody(event, converters) ??
    closeBody(event, converters) ?? { type: 'other' }
  );
}

function activityBody(event: HistoryEvent, converters: Converters): Body | undefined {
  const scheduled = event.activityTaskScheduledEventAttributes;
  if (scheduled) {
    const [input] = valuesOf(scheduled.input, converters);
    const name = scheduled.activityType?.name ?? '';
    return { type: 'activity_scheduled', activityId: scheduled.activityId ?? '', name, input };
  }
  const started = event.activityTaskStartedEventAttributes;
  if (started) {
    return { type: 'activity_started', scheduledId: Number(started.scheduledEventId), attempt: started.attempt ?? 1 };
  }
  const givenUp = event.activityTaskCancelRequestedEventAttributes;
  if (givenUp) return { type: 'activity_given_up', scheduledId: Number(givenUp.scheduledEventId) };
  const completed = event.activityTaskCompletedEventAttributes;
  if (completed)
    return endedBody(completed, { status: 'completed', result: valuesOf(completed.result, converters)[0] });
  const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
  if (failed) return endedBody(failed, { status: 'failed', failure: callFailureOf(failed.failure, converters) });
  const cancelled = event.activityTaskCanceledEventAttributes;
  return cancelled ? endedBody(cancelled, { status: 'failed', failure: { kind: 'cancelled' } }) : undefined;
}

function endedBody({ scheduledEventId }: { scheduledEventId?: unknown }, ending: ActivityEnding): Body {
  return { type: 'activity_ended', scheduledId: Number(scheduledEventId), ending };
}

function markerOrMemoBody(event: HistoryEvent, converters: Converters): Body | undefined {
  const fields = event.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields;
  if (fields) {
    const { payloadConverter } = converters;
    const entries = Object.entries(fields).map(([key, value]) => [key, payloadConverter.fromPayload(value as Payload)]);
    return { type: 'memo_changed', memo: Object.fromEntries(entries) };
  }
  const marker = event.markerRecordedEventAttributes;
  if (marker?.markerName !== LOCAL_ACTIVITY) return undefined;
  const [data] = valuesOf(marker.details?.['data'], converters) as LocalActivityData[];
  if (!data) return undefined;
  return {
    type: 'local_activity_ended',
    name: data.activity_type,
    attempt: data.attempt,
    completedAtMs: (data.complete_time?.seconds ?? 0) * 1_000 + Math.floor((data.complete_time?.nanos ?? 0) / 1e6),
    ending: marker.failure
      ? { status: 'failed', failure: callFailureOf(marker.failure, converters) }
      : { status: 'completed', result: valuesOf(marker.details?.['result'], converters)[0] },
  };
}

function updateBody(event: HistoryEvent, converters: Converters): Body | undefined {
  const admitted = event.workflowExecutionUpdateAdmittedEventAttributes?.request;
  if (admitted) {
    const update = updateRequestOf(admitted, converters);
    return update && { type: 'update_admitted', updateId: admitted.meta?.updateId ?? '', update };
  }
  const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
  if (!accepted) return undefined;
  const update = accepted.acceptedRequest ? updateRequestOf(accepted.acceptedRequest, converters) : undefined;
  return { type: 'update_accepted', updateId: accepted.protocolInstanceId ?? '', update };
}

function updateRequestOf(request: temporal.api.update.v1.IRequest, converters: Converters): UpdateRequest | undefined {
  if (!request.input?.name) return undefined;
  return { name: request.input.name, input: valuesOf(request.input.args, converters)[0] };
}

function closeBody(event: HistoryEvent, converters: Converters): Body | undefined {
  const ending = decodeClose(event, converters);
  return ending && { type: 'link_closed', ending };
}

function callFailureOf(failure: ProtoFailure | null | undefined, converters: Converters): CallFailure {
  if (!failure) return { kind: 'other', message: '' };
  const error = converters.failureConverter.failureToError(failure, converters.payloadConverter);
  if (error instanceof CancelledFailure) return { kind: 'cancelled' };
  if (error instanceof TimeoutFailure) return { kind: 'timeout', timeoutType: error.timeoutType as TimeoutType };
  if (error instanceof ApplicationFailure)
    return { kind: 'application', type: error.type ?? '', message: error.message };
  return { kind: 'other', message: error.message };
}

type TimeoutType = Extract<CallFailure, { kind: 'timeout' }>['timeoutType'];
