// Claude on Google Vertex AI, `streamRawPredict`: https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai

import type { Wire } from '../fake-openai-api/wire-fake.ts';
import { cloudComplaint, messagesWire } from './messages-wire.ts';

const PATH =
  /^\/v1\/projects\/some-project\/locations\/us-east5\/publishers\/anthropic\/models\/([^/:?]+):streamRawPredict$/;
const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** Vertex AI for the project `some-project` in `us-east5`. */
export const vertexWire: Wire = {
  complaintAbout(body, sent, path) {
    if (body['stream'] !== true) return 'stream: must be true';
    return cloudComplaint(body, decodeURIComponent(PATH.exec(path)?.[1] ?? ''), sent);
  },
  complaintAboutHead({ path, headers }) {
    if (!PATH.test(path)) return 'Not found.';
    if (headers['x-api-key'] !== undefined || headers['anthropic-version'] !== undefined) return 'heads of Anthropic’s';
    return /^Bearer \S+$/.test(headers.authorization ?? '') ? undefined : 'Request had no credentials.';
  },
  toStream: messagesWire.toStream,
  toError: (code, message) => ({ error: { code, message, status: STATUSES[code] ?? 'UNKNOWN' } }),
};
