import type { LoadedDataConverter, Payload } from '@temporalio/common';
// The SDK reads histories for itself only; these are the functions by which its own client resolves payloads.
import {
  decode,
  extstoreInboundOptions,
  visit,
  walkGetWorkflowExecutionHistoryResponse,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';

/** An event of Temporal's history. */
export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** A page of a history, as the server sends it. */
export type HistoryPage = temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryResponse;

/** Everything that says how payloads become values. */
export type Converters = Pick<LoadedDataConverter, 'payloadConverter' | 'failureConverter'>;

/**
 * Fetches the payloads of a page that lie in external storage and takes off what codecs have put on, in place.
 * Throws where there is a stored payload and no storage that has it.
 */
export async function openPayloads(page: HistoryPage, converter: LoadedDataConverter): Promise<void> {
  const { externalStorage, payloadCodecs } = converter;
  await visit(page, walkGetWorkflowExecutionHistoryResponse, extstoreInboundOptions(externalStorage));
  if (payloadCodecs.length === 0) return;
  await visit(page, walkGetWorkflowExecutionHistoryResponse, {
    transformPayloads: (payloads) => decode(payloadCodecs, payloads),
    transformPayload: async (payload) => (await decode(payloadCodecs, [payload]))[0] ?? payload,
    skipSearchAttributes: true,
  });
}

/** The values of a list of payloads that have been opened. */
export function valuesOf(
  payloads: temporal.api.common.v1.IPayloads | null | undefined,
  { payloadConverter }: Converters,
): unknown[] {
  return (payloads?.payloads ?? []).map((payload) => payloadConverter.fromPayload(payload as Payload));
}
