import { describe, expect, test } from 'vitest';
import type { ModelEvent } from '../adapters/model-adapter.ts';
import { NO_USAGE } from '../protocol/run.ts';
import { REMOVED, secretsIn, withoutSecrets } from './redact.ts';
import type { RecordedCall } from './sequence.ts';

function callWith(prompt: string, events: readonly ModelEvent[] = []): RecordedCall {
  return {
    asked: { model: 'm', messages: 1, last: { role: 'user', content: [{ type: 'text', text: prompt }] } },
    events,
  };
}

function cleaned(prompt: string, secrets: readonly string[] = []): string {
  const block = withoutSecrets(callWith(prompt), secrets).asked.last?.content[0];
  return block?.type === 'text' ? block.text : '';
}

describe('what looks like a secret is removed wherever it stands', () => {
  // Put together here, so that no scanner of repositories takes this file for a leak.
  test.each([
    ['an Anthropic key', `sk-${'ant-api03-'}${'A1b2'.repeat(10)}`],
    ['an OpenAI key', `sk-${'proj-'}${'A1b2'.repeat(10)}`],
    ['a Google key', `AI${'za'}${'A1b2'.repeat(9)}`],
    ['an AWS key', `AK${'IA'}${'A1B2'.repeat(4)}`],
    ['a GitHub token', `gh${'p_'}${'A1b2'.repeat(9)}`],
    ['a Slack token', `xox${'b-'}${'1234567890-'.repeat(3)}`],
    ['a JSON web token', `ey${'JhbGciOiJI'}.${'eyJzdWIiOiIx'}.${'c2lnbmF0dXJl'}`],
    ['an access token of Google', `ya${'29.'}${'A1b2'.repeat(9)}`],
    ['a key of Bedrock', `AB${'SK'}${'A1b2'.repeat(9)}==`],
    ['a private key', `-----BEGIN ${'RSA '}PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----`],
  ])('%s', (_name, secret) => {
    expect(cleaned(`It is ${secret}`)).toBe(`It is ${REMOVED}`);
  });

  test('what follows Bearer, api_key= and password:, and the user of a URL', () => {
    expect(cleaned('authorization: Bearer abc123def456ghi')).toBe(`authorization: Bearer ${REMOVED}`);
    expect(cleaned('https://x.test/?api_key=abcdefgh12&city=Seoul')).toBe(
      `https://x.test/?api_key=${REMOVED}&city=Seoul`,
    );
    expect(cleaned('{"password": "correct horse"}')).toBe(`{"password": "${REMOVED}"}`);
    expect(cleaned('https://x.test/v1?alt=sse&key=abcdefgh12')).toBe(`https://x.test/v1?alt=sse&key=${REMOVED}`);
    expect(cleaned('{"x-api-key":"abcdefgh12"}')).toBe(`{"x-api-key":"${REMOVED}"}`);
    expect(cleaned('export AWS_SECRET_ACCESS_KEY=abcdefgh/12 #')).toBe(`export AWS_SECRET_ACCESS_KEY=${REMOVED} #`);
    expect(cleaned('postgres://app:hunter2@db/app')).toBe(`postgres://${REMOVED}@db/app`);
  });

  test.each([
    'Basic authentication is enough, and Bearer tokens are not needed.',
    'npm-install-everything-that-is-missing, then sk-learn',
    'toolu_01A09q90qw90lq917835lq9 and call_abcdefghijklmnopqrstuvwx',
    'max_tokens: 8192, keyboard: qwerty, https://example.com:8080/a@b',
  ])('but not plain text: %s', (text) => {
    expect(cleaned(text)).toBe(text);
  });
});

test('the given secrets are removed, the longer one where one begins another', () => {
  expect(cleaned('hunter2 and hunter2-longer', ['hunter2', 'hunter2-longer', ''])).toBe(`${REMOVED} and ${REMOVED}`);
});

test('secrets are found by the names of their variables and fields, at any depth', () => {
  const found = secretsIn({
    ANTHROPIC_API_KEY: 'value-one',
    GITHUB_TOKEN: 'value-two',
    AWS_SECRET_ACCESS_KEY: 'value-three',
    AWS_BEARER_TOKEN_BEDROCK: 'value-bearer',
    PGPASSWORD: 'value-pg',
    MYSQL_PWD: 'value-my',
    PWD: '/usr/local/src',
    PATH: '/usr/local/bin',
    KEYBOARD: 'qwertyuiop',
    SHORT_KEY: 'abc',
    anthropic: { apiKey: 'value-four', baseUrl: 'https://example.com' },
    temporalEnv: { TEMPORAL_API_KEY: 'value-five' },
    list: [{ password: 'value-six' }],
  });
  expect(found).toEqual([
    'value-one',
    'value-two',
    'value-three',
    'value-bearer',
    'value-pg',
    'value-my',
    'value-four',
    'value-five',
    'value-six',
  ]);
});

test('nothing of a secret is left in any part of a call', () => {
  const secret = 'hunter2-longer';
  const usage = NO_USAGE;
  const call: RecordedCall = {
    asked: {
      model: 'm',
      messages: 2,
      last: { role: 'user', content: [{ type: 'result', callId: 'a', content: [{ type: 'text', text: secret }] }] },
    },
    events: [
      { type: 'reasoning_delta', text: `The key is ${secret}` },
      { type: 'text_delta', text: 'It is hun' },
      { type: 'usage', usage },
      { type: 'text_delta', text: 'ter2-longer.' },
      {
        type: 'finished',
        message: {
          role: 'assistant',
          content: [
            { type: 'text', text: `It is ${secret}.` },
            { type: 'call', callId: 'b', name: 'log_in', input: { [secret]: 1, deep: [secret], apiKey: 'whatever' } },
            { type: 'opaque', provider: 'anthropic', value: { thinking: secret, signature: 'c2lnbmVk' } },
          ],
        },
        stopReason: 'tool_use',
        rawStopReason: 'tool_use',
        model: 'm-1',
        usage,
      },
    ],
    error: { kind: 'auth', message: `bad key ${secret}`, retryable: false },
  };
  const clean = withoutSecrets(call, [secret]);
  expect(JSON.stringify(clean)).not.toMatch(/hunter2|hun"|ter2|whatever/);
  expect(clean.events.slice(1, 3)).toEqual([
    { type: 'text_delta', text: `It is ${REMOVED}.` },
    { type: 'usage', usage },
  ]);
  expect(JSON.stringify(clean)).toContain('c2lnbmVk');
});

test('pieces without a secret stay as they are', () => {
  const call = callWith('Hi', [
    { type: 'text_delta', text: 'Hel' },
    { type: 'text_delta', text: 'lo' },
  ]);
  expect(withoutSecrets(call, ['hunter2-longer'])).toEqual(call);
});
