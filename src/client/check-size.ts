import type { Client } from '@temporalio/client';
import { jsonBytes } from '../protocol/json.ts';
import { MAX_PAYLOAD_BYTES, MAX_STORED_PAYLOAD_BYTES } from '../protocol/limits.ts';
import { InvalidRequest } from './errors.ts';

/**
 * Refuses a value that no payload can carry, before it is sent: the server would not answer for a long time, or the run
 * would hang on it. Throws {@link InvalidRequest} with the size, the limit and the mend.
 */
export function checkSize(client: Client, field: string, value: unknown): void {
  const isStored = client.options.loadedDataConverter.externalStorage !== undefined;
  const limit = isStored ? MAX_STORED_PAYLOAD_BYTES : MAX_PAYLOAD_BYTES;
  const bytes = jsonBytes(value);
  if (bytes <= limit) return;
  const mend = isStored ? 'Send less at once.' : 'Send less at once, or set up external storage.';
  throw new InvalidRequest(`${field}: has ${bytes} bytes, and the limit is ${limit} bytes. ${mend}`);
}
