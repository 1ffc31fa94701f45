// What went wrong, in the words of the services that answer the Messages API: Anthropic's own, and those of the clouds.

import type Anthropic from '@anthropic-ai/sdk';
import { isObject, nonEmptyText } from './answer-faults.ts';
import { CredentialsFailure } from './anthropic-cloud.ts';
import { classify, type Fault, type ProviderFacts } from './classify.ts';
import { ModelError } from './model-adapter.ts';
import type { InStreamError, WireEvent } from './stream-answer.ts';

/** The error in an event: the service's own, or that of a cloud which puts `{ error: { code, status, message } }` there. */
export function errorIn({ type, data }: WireEvent): InStreamError | undefined {
  if (type !== 'error' && !isObject(data['error'])) return undefined;
  const { errorType = 'error', text = JSON.stringify(data) } = wordsOf(data);
  return { errorType, text };
}

/** The error for what a client threw, or could not be made for. `APIError` is of the SDK that the client is built on. */
export function modelErrorOf(
  error: unknown,
  APIError: typeof Anthropic.APIError | undefined,
  facts: ProviderFacts,
): ModelError {
  return error instanceof ModelError ? error : classify(faultOf(error, APIError), facts, Date.now());
}

function faultOf(error: unknown, APIError: typeof Anthropic.APIError | undefined): Fault {
  const causes = error instanceof Error ? [error, error.cause] : [];
  const unfound = causes.find((cause) => cause instanceof CredentialsFailure);
  if (unfound !== undefined) return { type: 'no_credentials', cause: unfound.reason };
  if (APIError === undefined || !(error instanceof APIError) || error.status === undefined) {
    return { type: 'no_status', cause: error };
  }
  const headers = error.headers ?? new Headers();
  const { errorType, text } = wordsOf(error.error);
  return {
    type: 'status',
    status: error.status,
    errorType: errorType ?? awsErrorType(headers),
    text: text ?? error.message.replace(/^\d{3} /, ''),
    headers,
    cause: error,
  };
}

/** Google's body may be a list of one, AWS's holds a bare `message`. */
function wordsOf(body: unknown): Partial<InStreamError> {
  const [first] = [body].flat();
  if (!isObject(first)) return {};
  const error = isObject(first['error']) ? first['error'] : {};
  const texts = [error['message'], first['message'], first['Message']];
  return {
    errorType: [error['type'], error['status'], error['code']].map(nonEmptyText).find((word) => word !== undefined),
    text: texts.map(nonEmptyText).find((text) => text !== undefined),
  };
}

/** Such as `ThrottlingException:http://…`: https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html */
function awsErrorType(headers: Headers): string | undefined {
  return nonEmptyText(headers.get('x-amzn-errortype')?.split(':')[0]);
}
