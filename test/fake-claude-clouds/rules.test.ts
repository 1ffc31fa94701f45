// What the fakes of the clouds refuse: else a test against them could not fail.

import { describe, expect, it } from 'vitest';
import type { Json, Wire, WireRequest } from '../fake-openai-api/wire-fake.ts';
import { bedrockWire } from './bedrock.ts';
import { foundryWire } from './foundry.ts';
import { vertexWire } from './vertex.ts';

const BODY = { max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] };
const CLOUD_BODY = { ...BODY, anthropic_version: '2026-10-21' };
const SIGNED =
  'AWS4-HMAC-SHA256 Credential=AKIA/20260101/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, ' +
  `Signature=${'0'.repeat(64)}`;

interface Good {
  readonly wire: Wire;
  readonly path: string;
  readonly headers: WireRequest['headers'];
  readonly body: Json;
}

const GOOD = {
  bedrock: {
    wire: bedrockWire,
    path: '/model/m/invoke-with-response-stream',
    headers: { authorization: SIGNED },
    body: CLOUD_BODY,
  },
  vertex: {
    wire: vertexWire,
    path: '/v1/projects/some-project/locations/us-east5/publishers/anthropic/models/m:streamRawPredict',
    headers: { authorization: 'Bearer x' },
    body: { ...CLOUD_BODY, stream: true },
  },
  foundry: {
    wire: foundryWire,
    path: '/anthropic/v1/messages',
    headers: { 'x-api-key': 'x', 'anthropic-version': '2026-10-21' },
    body: { ...BODY, model: 'm', stream: true },
  },
} satisfies Readonly<Record<string, Good>>;

function complaintAbout({ wire, path, headers, body }: Good): string | undefined {
  return wire.complaintAboutHead?.({ path, headers }) ?? wire.complaintAbout(body, [], path);
}

describe.each(Object.entries(GOOD))('%s', (_, good: Good) => {
  it('takes what is right', () => {
    expect(complaintAbout(good)).toBeUndefined();
  });

  it.each<[string, Partial<Good>]>([
    ['another path', { path: '/v1/messages' }],
    ['no access', { headers: {} }],
    ['a message that the API refuses', { body: { ...good.body, messages: [{ role: 'user', content: [] }] } }],
    ['a field that the API does not know', { body: { ...good.body, thread: { type: 'create' } } }],
  ])('refuses %s', (__, bad) => {
    expect(complaintAbout({ ...good, ...bad })).toBeDefined();
  });
});

it.each<[string, Good, RegExp]>([
  ['a model in the body', { ...GOOD.bedrock, body: { ...CLOUD_BODY, model: 'm' } }, /model/],
  ['a stream in the body', { ...GOOD.bedrock, body: { ...CLOUD_BODY, stream: true } }, /stream/],
  ['no version', { ...GOOD.bedrock, body: BODY }, /anthropic_version/],
  ['betas that are no list', { ...GOOD.bedrock, body: { ...CLOUD_BODY, anthropic_beta: 'a' } }, /anthropic_beta/],
  ['a version in the head', { ...GOOD.bedrock, headers: { authorization: SIGNED, 'anthropic-version': 'x' } }, /head/],
  ['another region', { ...GOOD.bedrock, headers: { authorization: SIGNED.replace('east-1', 'west-2') } }, /Token/],
  [
    'a date that is not signed',
    { ...GOOD.bedrock, headers: { authorization: SIGNED.replace(';x-amz-date', '') } },
    /date/,
  ],
  ['a model in the body', { ...GOOD.vertex, body: { ...GOOD.vertex.body, model: 'm' } }, /model/],
  ['no stream', { ...GOOD.vertex, body: CLOUD_BODY }, /stream/],
  ['another project', { ...GOOD.vertex, path: GOOD.vertex.path.replace('some', 'other') }, /Not found/],
  [
    'a key and a token',
    { ...GOOD.foundry, headers: { ...GOOD.foundry.headers, authorization: 'Bearer x' } },
    /credentials/,
  ],
  ['no version', { ...GOOD.foundry, headers: { 'x-api-key': 'x' } }, /anthropic-version/],
])('%s is refused: %#', (_, bad, complaint) => {
  expect(complaintAbout(bad)).toMatch(complaint);
});
