import { describe, expect, it } from 'vitest';
import { classify, type Fault } from './classify.ts';

const FACTS = {
  provider: 'Anthropic',
  keyVariable: 'ANTHROPIC_API_KEY',
  secrets: ['marker-key-123'],
  model: 'claude-x',
};

function status(code: number, text = 'Made up.', headers: Record<string, string> = {}, errorType?: string) {
  const fault: Fault = { type: 'status', status: code, errorType, text, headers: new Headers(headers) };
  return classify(fault, FACTS, 0);
}

function inStream(errorType: string, text = 'Made up.') {
  return classify({ type: 'in_stream', errorType, text, requestId: 'req_7' }, FACTS, 0);
}

function noStatus(cause: unknown) {
  return classify({ type: 'no_status', cause }, FACTS, 0);
}

describe('classify, by status', () => {
  it.each([
    [300, 'server_error', true],
    [400, 'invalid_request', false],
    [401, 'auth', false],
    [402, 'permission', false],
    [403, 'permission', false],
    [404, 'not_found', false],
    [405, 'invalid_request', false],
    [408, 'timeout', true],
    [409, 'server_error', true],
    [413, 'too_large', false],
    [422, 'invalid_request', false],
    [424, 'server_error', true],
    [429, 'rate_limited', true],
    [500, 'server_error', true],
    [502, 'server_error', true],
    [503, 'server_error', true],
    [504, 'timeout', true],
    [529, 'overloaded', true],
    [599, 'server_error', true],
  ] as const)('%i is %s, retryable: %s', (code, kind, retryable) => {
    expect(status(code)).toMatchObject({ kind, retryable, status: code });
  });

  it('takes the kind of a server error from its type', () => {
    expect(status(500, 'Busy.', {}, 'overloaded_error')).toMatchObject({ kind: 'overloaded', retryable: true });
  });

  it('takes it from what AWS calls it', () => {
    const error = status(503, 'Busy.', {}, 'ServiceUnavailableException');
    expect(error).toMatchObject({ kind: 'overloaded', retryable: true });
  });

  it('retries a server error whatever its type', () => {
    expect(status(500, 'Odd.', {}, 'authentication_error')).toMatchObject({ kind: 'server_error', retryable: true });
  });

  it.each([
    [429, 'insufficient_quota', 'permission', 'credit'],
    [403, 'billing_hard_limit_reached', 'permission', 'credit'],
    [400, 'FAILED_PRECONDITION', 'permission', 'quota'],
    [400, 'model_not_found', 'not_found', 'claude-x'],
    [400, 'context_length_exceeded', 'context_overflow', ''],
    [400, 'API_KEY_INVALID', 'auth', 'ANTHROPIC_API_KEY'],
    [403, 'ExpiredTokenException', 'auth', 'ANTHROPIC_API_KEY'],
    [403, 'IncompleteSignatureException', 'auth', 'ANTHROPIC_API_KEY'],
    [403, 'InvalidSignatureException', 'auth', 'ANTHROPIC_API_KEY'],
    [403, 'MissingAuthenticationTokenException', 'auth', 'ANTHROPIC_API_KEY'],
    [403, 'UnrecognizedClientException', 'auth', 'ANTHROPIC_API_KEY'],
  ] as const)('lets a type that says more win: %i with %s is %s', (code, errorType, kind, mend) => {
    const error = status(code, 'Made up.', {}, errorType);
    expect(error).toMatchObject({ kind, retryable: false, message: expect.stringContaining(mend) });
  });

  it('waits for a quota of AWS to be free again, though its status is a 400', () => {
    const error = status(400, 'Made up.', {}, 'ServiceQuotaExceededException');
    expect(error).toMatchObject({ kind: 'rate_limited', retryable: true });
  });

  it('keeps how long the provider asks to wait', () => {
    expect(status(429, 'Slow.', { 'retry-after': '2' }).retryAfterMs).toBe(2_000);
  });

  it.each([
    [429, 'false', false],
    [400, 'true', true],
    [429, 'perhaps', true],
  ] as const)('lets x-should-retry win: %i with %s', (code, word, retryable) => {
    expect(status(code, 'Made up.', { 'x-should-retry': word }).retryable).toBe(retryable);
  });

  it.each([
    'prompt is too long: 210000 tokens > 200000 maximum',
    'Input is too long for requested model.',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    "This model's maximum context length is 128000 tokens. However, you requested 130000 tokens.",
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'the request exceeds the available context size (4096 tokens), try increasing it',
    "This model's maximum prompt length is 131072 but the request contains 540000 tokens.",
  ])('knows an overflow by its text: %s', (text) => {
    expect(status(400, text)).toMatchObject({ kind: 'context_overflow', retryable: false });
  });
});

describe('classify, by the words of a plain 400', () => {
  it.each([
    ['Your credit balance is too low to access the Anthropic API.', 'permission', 'credit'],
    ['Incorrect API key provided: x***y. You can obtain one at …', 'auth', 'ANTHROPIC_API_KEY'],
    ['Model Not Exist', 'not_found', 'claude-x'],
    ['some/model is not a valid model ID', 'not_found', 'claude-x'],
    ['The model `claude-x` does not exist or you do not have access to it.', 'not_found', 'claude-x'],
  ])('%s is %s', (text, kind, mend) => {
    expect(status(400, text)).toMatchObject({ kind, retryable: false, message: expect.stringContaining(mend) });
  });

  it.each(['The tool does not exist', 'tools.0.name: not found'])('knows a bad request all the same: %s', (text) => {
    expect(status(400, text).kind).toBe('invalid_request');
  });
});

describe('classify, inside a stream', () => {
  it.each([
    ['overloaded_error', 'overloaded', true],
    ['api_error', 'server_error', true],
    ['rate_limit_error', 'rate_limited', true],
    ['timeout_error', 'timeout', true],
    ['conflict_error', 'server_error', true],
    ['invalid_request_error', 'invalid_request', false],
    ['authentication_error', 'auth', false],
    ['billing_error', 'permission', false],
    ['permission_error', 'permission', false],
    ['not_found_error', 'not_found', false],
    ['request_too_large', 'too_large', false],
    ['server_error', 'server_error', true],
    ['rate_limit_exceeded', 'rate_limited', true],
    ['insufficient_quota', 'permission', false],
    ['context_length_exceeded', 'context_overflow', false],
    ['invalid_prompt', 'invalid_request', false],
    ['bio_policy', 'invalid_request', false],
    ['data_residency_mismatch', 'invalid_request', false],
    ['image_too_large', 'invalid_request', false],
    ['failed_to_download_image', 'invalid_request', false],
    ['vector_store_timeout', 'timeout', true],
    ['invalid_api_key', 'auth', false],
    ['model_not_found', 'not_found', false],
    ['INVALID_ARGUMENT', 'invalid_request', false],
    ['FAILED_PRECONDITION', 'permission', false],
    ['API_KEY_INVALID', 'auth', false],
    ['UNAUTHENTICATED', 'auth', false],
    ['PERMISSION_DENIED', 'permission', false],
    ['NOT_FOUND', 'not_found', false],
    ['RESOURCE_EXHAUSTED', 'rate_limited', true],
    ['INTERNAL', 'server_error', true],
    ['UNAVAILABLE', 'overloaded', true],
    ['DEADLINE_EXCEEDED', 'timeout', true],
    ['internalServerException', 'server_error', true],
    ['modelErrorException', 'server_error', true],
    ['modelStreamErrorException', 'server_error', true],
    ['modelTimeoutException', 'timeout', true],
    ['serviceUnavailableException', 'overloaded', true],
    ['throttlingException', 'rate_limited', true],
    ['validationException', 'invalid_request', false],
    ['ThrottlingException', 'rate_limited', true],
    ['ExpiredTokenException', 'auth', false],
    ['429', 'rate_limited', true],
    ['502', 'server_error', true],
    ['402', 'permission', false],
    ['200', 'server_error', true],
    ['error_of_tomorrow', 'server_error', true],
    ['constructor', 'server_error', true],
  ] as const)('%s is %s, retryable: %s', (errorType, kind, retryable) => {
    expect(inStream(errorType)).toMatchObject({ kind, retryable, status: undefined });
  });
});

describe('classify, without a status', () => {
  it.each([
    ['a reset two causes deep', nested('ECONNRESET'), 'connection'],
    ['a closed socket', nested('UND_ERR_SOCKET'), 'connection'],
    ['a body that was cut', new TypeError('terminated'), 'connection'],
    ['an unknown host', nested('ENOTFOUND'), 'connection'],
    ['a refused connection', nested('ECONNREFUSED'), 'connection'],
    ['something that is no error', 'odd', 'connection'],
    ['an SDK time-out', new Error('Request timed out.'), 'timeout'],
    ['headers that never came', nested('UND_ERR_HEADERS_TIMEOUT'), 'timeout'],
    ['a body that stalled', nested('UND_ERR_BODY_TIMEOUT'), 'timeout'],
    ['a connect time-out', nested('ETIMEDOUT'), 'timeout'],
  ] as const)('retries %s', (_, cause, kind) => {
    expect(noStatus(cause)).toMatchObject({ kind, retryable: true, cause });
  });

  it('shows the code at the bottom of the causes', () => {
    expect(noStatus(nested('ECONNRESET')).message).toContain('ECONNRESET');
  });

  it('ends with a chain of causes that is a loop', () => {
    const loop = new Error('again');
    loop.cause = loop;
    expect(noStatus(loop).kind).toBe('connection');
  });
});

describe('classify, where nothing could be sent', () => {
  it.each([
    ['an address that is none', Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL' })],
    [
      'an address with a password',
      new TypeError('Request cannot be constructed from a URL that includes credentials: x'),
    ],
    ['an address of another kind', new TypeError('fetch failed', { cause: new Error('unknown scheme') })],
  ])('%s is for a person to mend', (_, cause) => {
    const error = noStatus(cause);
    expect(error).toMatchObject({ kind: 'not_found', retryable: false, cause });
    expect(error.message).toMatch(/Check the address of Anthropic\.$/);
  });

  it.each([
    'Headers.append: "Bearer x" is an invalid header value.',
    'Cannot convert argument to a ByteString because the character at index 17 has a value of 26085 which is …',
  ])('a key that no header can hold is for a person to mend: %s', (text) => {
    const error = noStatus(new TypeError(text));
    expect(error).toMatchObject({ kind: 'auth', retryable: false });
    expect(error.message).toMatch(/Check ANTHROPIC_API_KEY\.$/);
  });
});

describe('classify, without credentials', () => {
  const search = (cause: unknown) => classify({ type: 'no_credentials', cause }, FACTS, 0);

  it.each([
    ['a chain that found nothing', new Error('Could not load credentials from any providers')],
    ['a file that is not there', Object.assign(new Error('no such file'), { code: 'ENOENT' })],
    ['a token that is refused', Object.assign(new Error('invalid_grant'), { status: 400 })],
    ['a role that is refused', Object.assign(new Error('AccessDenied'), { $metadata: { httpStatusCode: 403 } })],
    ['something that is no error', undefined],
  ])('%s is for a person to mend', (_, cause) => {
    const error = search(cause);
    expect(error).toMatchObject({ kind: 'auth', retryable: false, cause, status: undefined });
    expect(error.message).toMatch(/^No credentials for Anthropic: .*Check ANTHROPIC_API_KEY\.$/);
  });

  it.each([
    ['a refused connection', nested('ECONNREFUSED'), 'connection'],
    ['an unknown host', nested('EAI_AGAIN'), 'connection'],
    ['a service that is silent', new Error('nothing came in 20000 ms (timed out)'), 'timeout'],
    ['a request that was given up', new Error('The operation was aborted.'), 'connection'],
    ['a busy service', Object.assign(new Error('busy'), { status: 429 }), 'rate_limited'],
    ['a service that fails', Object.assign(new Error('down'), { $metadata: { httpStatusCode: 500 } }), 'server_error'],
  ])('%s is tried again', (_, cause, kind) => {
    expect(search(cause)).toMatchObject({ kind, retryable: true, cause });
  });
});

describe('the message', () => {
  it('has status, type, the provider’s words and the request id', () => {
    const { message } = status(400, 'messages.0: complaint', { 'request-id': 'req_1' }, 'invalid_request_error');
    expect(message).toBe('Anthropic answered 400 (invalid_request_error): messages.0: complaint [request req_1]');
    expect(inStream('api_error').message).toContain('[request req_7]');
  });

  it.each(['request-id', 'x-request-id', 'x-amzn-requestid', 'apim-request-id'])('has the id in %s', (name) => {
    expect(status(400, 'Odd.', { [name]: 'req_8' }).message).toContain('[request req_8]');
  });

  it.each([
    [401, 'ANTHROPIC_API_KEY'],
    [402, 'credit'],
    [403, 'ANTHROPIC_API_KEY'],
    [404, 'claude-x'],
    [429, 'quota'],
  ])('of a %i says what to mend', (code, word) => {
    expect(status(code).message).toContain(word);
  });

  it.each([
    'no marker-key-123 here',
    'key sk-ant-api03-abcdefgh_9 is bad',
    'Authorization: Bearer abc.def',
    'AIzaSyabcdefgh is bad',
    'ya29.c.b0abcdefgh-_x is bad',
    'AKIAABCDEFGH12345678 and ASIAABCDEFGH12345678 are bad',
    'ABSKabcdefgh+/= and bedrock-api-key-abcdefgh== are bad',
    'eyJabcdefgh.eyJabcdefgh.abcdefgh-_x is bad',
    'x-amz-security-token:abcdefgh/+== host:x',
    'Request cannot be constructed from a URL that includes credentials: http://me:abcdefgh@127.0.0.1/v1',
    'see https://abcdefgh@proxy.example/v1',
    'https://x.example/v1?key=abcdefgh-9&alt=sse',
  ])('never shows a key: %s', (text) => {
    expect(status(401, text).message).not.toMatch(/marker-key-123|abcdefgh|abc\.def/i);
    expect(noStatus(new Error(text)).message).not.toMatch(/marker-key-123|abcdefgh|abc\.def/i);
  });

  it('never shows one as the id of the request', () => {
    expect(status(400, 'Odd.', { 'x-request-id': 'marker-key-123' }).message).not.toContain('marker');
  });

  it('is short, and its hint and request id survive the cut', () => {
    const { message } = status(404, 'é'.repeat(10_000), { 'request-id': 'req_1' });
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4_096);
    expect(message).toContain('claude-x');
    expect(message).toContain('req_1');
  });
});

function nested(code: string): Error {
  const socket = Object.assign(new Error('deep'), { code });
  return new Error('Connection error.', { cause: new TypeError('fetch failed', { cause: socket }) });
}
