// The Messages API as all who serve Claude speak it: the strict rules of the fake Messages API, and its streams.

import { errorAnswer, type MessageAnswer } from '../fake-model-api/answers.ts';
import { eventsOf, frameOf } from '../fake-model-api/sse.ts';
import { complaintAbout } from '../fake-model-api/strict-rules.ts';
import type { WireRequest } from '../fake-model-api/wire.ts';
import type { Json, Wire } from '../fake-openai-api/wire-fake.ts';

/** Anthropic's own. */
export const messagesWire: Wire = {
  complaintAbout: (body, sent) => complaintAbout(body as unknown as WireRequest, { sent: sent.map(contentOf) }),
  toStream: (body) =>
    eventsOf(body as unknown as MessageAnswer)
      .map((event) => frameOf(event))
      .join(''),
  toError: (status, message) => {
    const type = status === 400 ? 'invalid_request_error' : 'api_error';
    return errorAnswer(status, type, message, 'req_1').body as Json;
  },
};

/** What is wrong with a body whose model is named in the path, and whose version in the body. */
export function cloudComplaint(body: Json, model: string, sent: readonly Json[]): string | undefined {
  const { anthropic_version: version, anthropic_beta: betas, ...rest } = body;
  if ('model' in body) return 'model: Extra inputs are not permitted';
  if (typeof version !== 'string' || version === '') return 'anthropic_version: Field required';
  if (betas !== undefined && !Array.isArray(betas)) return 'anthropic_beta: Input should be a valid list';
  return messagesWire.complaintAbout({ ...rest, model }, sent, '');
}

function contentOf(message: Json): MessageAnswer['content'] {
  return message['content'] as MessageAnswer['content'];
}
