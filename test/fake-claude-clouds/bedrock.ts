// Claude on Amazon Bedrock, `InvokeModelWithResponseStream`:
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html

import { isObject, type Json, type Wire, type WireRequest } from '../fake-openai-api/wire-fake.ts';
import { chunkFrame, exceptionFrame } from './event-stream.ts';
import { cloudComplaint, messagesWire } from './messages-wire.ts';

const PATH = /^\/model\/([^/?]+)\/invoke-with-response-stream$/;
const SIGNATURE =
  /^AWS4-HMAC-SHA256 Credential=[A-Z0-9]+\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=[a-z0-9;-]+, Signature=[0-9a-f]{64}$/;

/** Bedrock in `us-east-1`. */
export const bedrockWire: Wire = {
  complaintAbout(body, sent, path) {
    if ('stream' in body) return 'stream: Extra inputs are not permitted';
    return cloudComplaint(body, decodeURIComponent(PATH.exec(path)?.[1] ?? ''), sent);
  },
  complaintAboutHead({ path, headers }) {
    if (!PATH.test(path)) return 'UnknownOperationException';
    if (headers['anthropic-version'] !== undefined) return 'the version stands in the head';
    return accessComplaint(headers);
  },
  toStream: messagesWire.toStream,
  toError: (_, message) => ({ message }),
  framing: { contentType: 'application/vnd.amazon.eventstream', bytes: eventStreamOf },
};

function accessComplaint(headers: WireRequest['headers']): string | undefined {
  const { authorization = '' } = headers;
  if (headers['x-api-key'] !== undefined) return 'a key of Anthropic’s';
  if (/^Bearer \S+$/.test(authorization)) return undefined;
  if (!SIGNATURE.test(authorization)) return 'Missing Authentication Token';
  const signed = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? [];
  const unsigned = ['host', 'x-amz-date', 'x-amz-content-sha256'].find((name) => !signed.includes(name));
  return unsigned === undefined ? undefined : `${unsigned} is not signed`;
}

/** Server-sent events as AWS's frames. An event named as an exception becomes one. */
export function eventStreamOf(sse: string): Buffer {
  const events = sse.split('\n\n').filter((event) => event !== '');
  return Buffer.concat(
    events.map((event) => {
      const name = /^event: (.*)$/m.exec(event)?.[1] ?? '';
      const data = event.slice(event.indexOf('data: ') + 'data: '.length);
      return name.endsWith('Exception') ? exceptionFrame(name, data) : chunkFrame(withMetrics(name, data));
    }),
  );
}

/** The last event also says what the service has measured. */
function withMetrics(name: string, data: string): string {
  if (name !== 'message_stop') return data;
  const event: unknown = JSON.parse(data);
  const metrics = { inputTokenCount: 10, outputTokenCount: 5, invocationLatency: 900, firstByteLatency: 300 };
  const stop: Json = isObject(event) ? event : {};
  return JSON.stringify({ ...stop, 'amazon-bedrock-invocationMetrics': metrics });
}
