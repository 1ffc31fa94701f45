// The total table from what went wrong with a model call to a ModelError. Retry policy reads nothing but its rows.

import { assertNever, cutText } from '../protocol/json.ts';
import { MAX_ERROR_TEXT_BYTES } from '../protocol/limits.ts';
import { ModelError, type ModelErrorKind } from './model-adapter.ts';
import { redact } from './redact.ts';
import { type HeaderReader, retryAfterMs } from './retry-after.ts';

/** The provider as messages name it, and what they must never show. */
export interface ProviderFacts {
  readonly provider: string;
  /** The environment variable with the key, or words for what else gives access: for the hint. */
  readonly keyVariable: string;
  /** Keys and tokens as far as they are known. */
  readonly secrets: readonly string[];
  readonly model: string;
}

/** What an adapter knows of a failed call. */
export type Fault =
  /** The provider answered with a status of its own. */
  | {
      readonly type: 'status';
      readonly status: number;
      readonly errorType?: string;
      readonly text: string;
      readonly headers: HeaderReader;
      readonly cause?: unknown;
    }
  /** An error came inside an answer that had begun with 200. */
  | {
      readonly type: 'in_stream';
      readonly errorType: string;
      readonly text: string;
      readonly requestId?: string;
      readonly retryAfterMs?: number;
    }
  /** Nothing was found to sign a request with. */
  | { readonly type: 'no_credentials'; readonly cause: unknown }
  /** No answer, or one that broke off. */
  | { readonly type: 'no_status'; readonly cause: unknown };

interface Row {
  readonly kind: ModelErrorKind;
  readonly retryable: boolean;
  /** What a person can mend. */
  readonly mend?: 'key' | 'rights' | 'model' | 'quota' | 'address';
}

const STATUS_ROWS: Readonly<Record<number, Row>> = {
  400: { kind: 'invalid_request', retryable: false },
  401: { kind: 'auth', retryable: false, mend: 'key' },
  402: { kind: 'permission', retryable: false, mend: 'quota' },
  403: { kind: 'permission', retryable: false, mend: 'rights' },
  404: { kind: 'not_found', retryable: false, mend: 'model' },
  408: { kind: 'timeout', retryable: true },
  409: { kind: 'server_error', retryable: true },
  413: { kind: 'too_large', retryable: false },
  422: { kind: 'invalid_request', retryable: false },
  424: { kind: 'server_error', retryable: true },
  429: { kind: 'rate_limited', retryable: true, mend: 'quota' },
  504: { kind: 'timeout', retryable: true },
  529: { kind: 'overloaded', retryable: true },
};

const OVERFLOW: Row = { kind: 'context_overflow', retryable: false };
const NO_CREDIT: Row = { kind: 'permission', retryable: false, mend: 'quota' };

const NO_ACCESS: Row = { kind: 'auth', retryable: false, mend: 'key' };
const NO_MODEL: Row = { kind: 'not_found', retryable: false, mend: 'model' };

/** What AWS calls by a status that says less: https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html */
const TELLING_AWS_ROWS: Readonly<Record<string, Row>> = {
  ServiceQuotaExceededException: { kind: 'rate_limited', retryable: true, mend: 'quota' },
  ExpiredTokenException: NO_ACCESS,
  IncompleteSignatureException: NO_ACCESS,
  InvalidSignatureException: NO_ACCESS,
  MissingAuthenticationTokenException: NO_ACCESS,
  UnrecognizedClientException: NO_ACCESS,
};

/** In a stream AWS begins these names with a small letter. */
const AWS_ROWS: Readonly<Record<string, Row>> = {
  InternalServerException: { kind: 'server_error', retryable: true },
  ModelErrorException: { kind: 'server_error', retryable: true },
  ModelStreamErrorException: { kind: 'server_error', retryable: true },
  ModelTimeoutException: { kind: 'timeout', retryable: true },
  ServiceUnavailableException: { kind: 'overloaded', retryable: true },
  ThrottlingException: { kind: 'rate_limited', retryable: true, mend: 'quota' },
  ValidationException: { kind: 'invalid_request', retryable: false },
};

/** Error types that say more than any status they come with. */
const TELLING_TYPE_ROWS: Readonly<Record<string, Row>> = {
  context_length_exceeded: OVERFLOW,
  insufficient_quota: NO_CREDIT,
  billing_hard_limit_reached: NO_CREDIT,
  API_KEY_INVALID: NO_ACCESS,
  // Of Gemini, for a project or a place that must pay first: https://ai.google.dev/gemini-api/docs/troubleshooting
  FAILED_PRECONDITION: NO_CREDIT,
  model_not_found: NO_MODEL,
  ...TELLING_AWS_ROWS,
};

/** Error types of all providers, for answers whose status says nothing: 200, or a server error. */
const ERROR_TYPE_ROWS: Readonly<Record<string, Row>> = {
  ...TELLING_TYPE_ROWS,
  overloaded_error: { kind: 'overloaded', retryable: true },
  api_error: { kind: 'server_error', retryable: true },
  rate_limit_error: { kind: 'rate_limited', retryable: true, mend: 'quota' },
  timeout_error: { kind: 'timeout', retryable: true },
  conflict_error: { kind: 'server_error', retryable: true },
  invalid_request_error: { kind: 'invalid_request', retryable: false },
  authentication_error: { kind: 'auth', retryable: false, mend: 'key' },
  billing_error: { kind: 'permission', retryable: false, mend: 'quota' },
  permission_error: { kind: 'permission', retryable: false, mend: 'rights' },
  not_found_error: { kind: 'not_found', retryable: false, mend: 'model' },
  request_too_large: { kind: 'too_large', retryable: false },
  server_error: { kind: 'server_error', retryable: true },
  rate_limit_exceeded: { kind: 'rate_limited', retryable: true, mend: 'quota' },
  invalid_prompt: { kind: 'invalid_request', retryable: false },
  bio_policy: { kind: 'invalid_request', retryable: false },
  data_residency_mismatch: { kind: 'invalid_request', retryable: false },
  invalid_api_key: { kind: 'auth', retryable: false, mend: 'key' },
  vector_store_timeout: { kind: 'timeout', retryable: true },
  INVALID_ARGUMENT: { kind: 'invalid_request', retryable: false },
  UNAUTHENTICATED: { kind: 'auth', retryable: false, mend: 'key' },
  PERMISSION_DENIED: { kind: 'permission', retryable: false, mend: 'rights' },
  NOT_FOUND: { kind: 'not_found', retryable: false, mend: 'model' },
  RESOURCE_EXHAUSTED: { kind: 'rate_limited', retryable: true, mend: 'quota' },
  INTERNAL: { kind: 'server_error', retryable: true },
  UNAVAILABLE: { kind: 'overloaded', retryable: true },
  DEADLINE_EXCEEDED: { kind: 'timeout', retryable: true },
  ...AWS_ROWS,
  ...Object.fromEntries(
    Object.entries(AWS_ROWS).map(([type, row]) => [type.replace(/^./, (c) => c.toLowerCase()), row]),
  ),
};

const TIMED_OUT: Row = { kind: 'timeout', retryable: true };
const NO_ADDRESS: Row = { kind: 'not_found', retryable: false, mend: 'address' };
const NO_CONNECTION: Row = { kind: 'connection', retryable: true };
/** An answer outside the table is no reason to give up a run; attempts are capped. */
const UNKNOWN: Row = { kind: 'server_error', retryable: true };

const OVERFLOW_TEXT =
  /(prompt|input) is too long|exceeds? (the )?(available )?context (limit|window|length|size)|maximum (context|prompt) length|exceeds the maximum number of tokens/i;
/** What the providers say with a plain 400, of which it is a special case. */
const TELLING_TEXTS: readonly (readonly [text: RegExp, row: Row])[] = [
  [OVERFLOW_TEXT, OVERFLOW],
  [/credit balance is too low/i, NO_CREDIT],
  [/(incorrect|invalid) api key/i, NO_ACCESS],
  [/\bmodel not exist|not a valid model id|\bmodel\b.{0,100}\b(does not exist|not found)\b/i, NO_MODEL],
];
const TIMEOUT_TEXT = /timed? ?out|TIMEDOUT|_TIMEOUT/i;
/** Says that a request can't even be made: in the words of Node's `URL`, `Headers` and `fetch`. */
const ADDRESS_TEXT = /ERR_INVALID_URL|URL that includes credentials|unknown scheme/;
const HEADER_TEXT = /invalid header value|to a ByteString/;
/** Says that it was the network which kept credentials away. */
const NETWORK_TEXT = /\b(ECONN[A-Z]+|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|UND_ERR_[A-Z_]+)\b|aborted/;
/** Deeper chains are loops. */
const MAX_CAUSES = 8;
/** Leaves room for the hint and the request id, which must survive a long text. */
const MAX_SAID_BYTES = MAX_ERROR_TEXT_BYTES - 1_024;
/** Longer than any real id. */
const MAX_REQUEST_ID_BYTES = 128;

/** The error for a fault. `nowMs` is what HTTP dates are counted from. */
export function classify(fault: Fault, facts: ProviderFacts, nowMs: number): ModelError {
  switch (fault.type) {
    case 'status':
      return ofStatus(fault, facts, nowMs);
    case 'in_stream': {
      const row = tellingRow(inStreamRow(fault.errorType), fault.text);
      const said = `${facts.provider} broke off with ${fault.errorType}: ${fault.text}`;
      const { retryable } = row;
      const { retryAfterMs, requestId } = fault;
      return new ModelError(row.kind, message(said, row, facts, requestId), { retryable, retryAfterMs });
    }
    case 'no_credentials':
      return ofSearch(fault.cause, facts);
    case 'no_status':
      return ofCause(fault.cause, facts);
  }
}

/** The id under which the provider knows a request; undefined where it gives none. */
export function requestIdOf(headers: HeaderReader): string | undefined {
  const names = ['request-id', 'x-request-id', 'x-amzn-requestid', 'apim-request-id'];
  return names.map((name) => headers.get(name)).find((id) => id !== null) ?? undefined;
}

function ofStatus(fault: Extract<Fault, { type: 'status' }>, facts: ProviderFacts, nowMs: number): ModelError {
  const row = tellingRow(statusRow(fault.status, fault.errorType), fault.text);
  const type = fault.errorType === undefined ? '' : ` (${fault.errorType})`;
  const said = `${facts.provider} answered ${fault.status}${type}: ${fault.text}`;
  return new ModelError(row.kind, message(said, row, facts, requestIdOf(fault.headers)), {
    retryable: askedToRetry(fault.headers) ?? row.retryable,
    retryAfterMs: retryAfterMs(fault.headers, nowMs),
    status: fault.status,
    cause: fault.cause,
  });
}

/** One service has a dozen types for pictures that it cannot use; others name the status that they would have sent. */
function inStreamRow(errorType: string): Row {
  const named = ownRow(ERROR_TYPE_ROWS, errorType);
  if (named !== undefined) return named;
  if (errorType.includes('image')) return { kind: 'invalid_request', retryable: false };
  const status = Number(errorType);
  return Number.isInteger(status) && status >= 400 ? statusRow(status, undefined) : UNKNOWN;
}

function statusRow(status: number, errorType: string | undefined): Row {
  const row = ownRow(TELLING_TYPE_ROWS, errorType ?? '') ?? STATUS_ROWS[status];
  if (row !== undefined) return row;
  if (status >= 500) {
    const named = ownRow(ERROR_TYPE_ROWS, errorType ?? '');
    return named?.retryable === true ? named : { kind: 'server_error', retryable: true };
  }
  return status >= 400 ? { kind: 'invalid_request', retryable: false } : UNKNOWN;
}

/** The provider's own word on retrying wins over the table. */
function askedToRetry(headers: HeaderReader): boolean | undefined {
  const word = headers.get('x-should-retry');
  if (word === 'true') return true;
  return word === 'false' ? false : undefined;
}

function tellingRow(row: Row, text: string): Row {
  if (row.kind !== 'invalid_request') return row;
  return TELLING_TEXTS.find(([form]) => form.test(text))?.[1] ?? row;
}

function ofCause(cause: unknown, facts: ProviderFacts): ModelError {
  const texts = causeTexts(cause);
  const row = causeRow(texts);
  const said = `No whole answer from ${facts.provider}: ${texts}`;
  return new ModelError(row.kind, message(said, row, facts, undefined), { retryable: row.retryable, cause });
}

function causeRow(texts: string): Row {
  if (ADDRESS_TEXT.test(texts)) return NO_ADDRESS;
  if (HEADER_TEXT.test(texts)) return NO_ACCESS;
  return TIMEOUT_TEXT.test(texts) ? TIMED_OUT : NO_CONNECTION;
}

/** A service that gives credentials may be down; anything else a person must mend. */
function ofSearch(cause: unknown, facts: ProviderFacts): ModelError {
  const texts = causeTexts(cause);
  const row = searchRow(cause, texts);
  const said = `No credentials for ${facts.provider}: ${texts}`;
  return new ModelError(row.kind, message(said, row, facts, undefined), { retryable: row.retryable, cause });
}

function searchRow(cause: unknown, texts: string): Row {
  if (TIMEOUT_TEXT.test(texts)) return TIMED_OUT;
  if (NETWORK_TEXT.test(texts)) return NO_CONNECTION;
  const { status, $metadata } = Object(cause);
  const row = statusRow(Number(status ?? Object($metadata).httpStatusCode), undefined);
  return row !== UNKNOWN && row.retryable ? { kind: row.kind, retryable: true } : NO_ACCESS;
}

/** What an error and its causes say; the code that tells a reset from a refusal often sits two causes deep. */
function causeTexts(error: unknown): string {
  const texts: string[] = [];
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth++) {
    const code = 'code' in current && typeof current.code === 'string' ? ` (${current.code})` : '';
    texts.push(`${current.message || current.name}${code}`);
    current = current.cause;
  }
  return texts.length > 0 ? texts.join(': ') : String(error);
}

function message(said: string, row: Row, facts: ProviderFacts, requestId: string | undefined): string {
  const parts = [cutText(redact(said, facts.secrets), MAX_SAID_BYTES)];
  if (row.mend !== undefined) parts.push(mendText(row.mend, facts));
  if (requestId !== undefined) {
    parts.push(`[request ${cutText(redact(requestId, facts.secrets), MAX_REQUEST_ID_BYTES)}]`);
  }
  return parts.join(' ');
}

function mendText(mend: NonNullable<Row['mend']>, facts: ProviderFacts): string {
  switch (mend) {
    case 'key':
      return `Check ${facts.keyVariable}.`;
    case 'rights':
      return `Check the rights that come with ${facts.keyVariable}.`;
    case 'model':
      return `Check the model's name: ${facts.model}.`;
    case 'quota':
      return 'Check plan, credit and quota.';
    case 'address':
      return `Check the address of ${facts.provider}.`;
    default:
      return assertNever(mend);
  }
}

function ownRow(rows: Readonly<Record<string, Row>>, key: string): Row | undefined {
  return Object.hasOwn(rows, key) ? rows[key] : undefined;
}
