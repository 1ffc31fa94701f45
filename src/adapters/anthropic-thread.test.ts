import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { THREAD_CODES } from '../../test/fake-model-api/threads.ts';
import type { AssistantBlock, AssistantMessage, JsonObject, Message, UserBlock } from '../protocol/messages.ts';
import { withMeta } from './anthropic-meta.ts';
import { mergeRoles, toUnmarkedRequest, toWireMessages } from './anthropic-request.ts';
import { type Answered, firstWay, threadMeta, threadRequest, type Way, wayAfter } from './anthropic-thread.ts';
import type { ModelRequest } from './model-adapter.ts';

const SECRET = 'test-key';
const CREATE: Way = { type: 'create' };
const REQUEST: ModelRequest = {
  model: 'claude-fake-1',
  instructions: 'Be brief.',
  tools: [{ name: 'look', description: 'Looks.', input_schema: { type: 'object' } }],
  messages: [],
  maxOutputTokens: 1_000,
};

const user = (...content: UserBlock[]): Message => ({ role: 'user', content });
const assistant = (...content: AssistantBlock[]): AssistantMessage => ({ role: 'assistant', content });
const text = (words: string) => ({ type: 'text', text: words }) as const;
const call = (callId: string) => ({ type: 'call', callId, name: 'look', input: {} }) as const;
const result = (callId: string) => ({ type: 'result', callId, content: [text(callId)] }) as const;
const opaque = (value: JsonObject) => ({ type: 'opaque', provider: 'anthropic', value }) as const;

const bodyOf = (messages: readonly Message[]) => toUnmarkedRequest({ ...REQUEST, messages });
const wayOf = (messages: readonly Message[]) => firstWay(messages, bodyOf(messages), SECRET);

/** The answer as a run keeps it, got by a request that was sent whole. */
function answered(before: readonly Message[], message: AssistantMessage, changes: Partial<Answered> = {}) {
  const answer: Answered = { message, stopReason: 'end_turn', id: 'msg_1', isOfFallback: false, ...changes };
  const meta = threadMeta({ body: bodyOf(before), way: CREATE }, answer, SECRET);
  return meta === undefined ? message : withMeta(message, meta);
}

/** Answers of any kind and of any provider, each with what a user says after it. */
function rounds(): fc.Arbitrary<readonly Message[]> {
  const id = fc.constantFrom('toolu_', 'call.', 'ü');
  const round = fc.record({ words: fc.string(), ids: fc.array(id, { maxLength: 3 }), thinks: fc.boolean() });
  return fc.array(round, { minLength: 1, maxLength: 5 }).map((all) =>
    all.flatMap(({ words, ids, thinks }, n): Message[] => {
      const named = ids.map((stem, index) => `${stem}${n}_${index}`);
      const thinking = thinks ? [opaque({ type: 'thinking', thinking: words, signature: 's' })] : [];
      const search = thinks ? [opaque({ type: 'server_tool_use', id: `srvtoolu_${n}`, name: 's', input: {} })] : [];
      return [
        assistant(...thinking, text(`${words}\ud800.`), ...search, ...named.map(call)),
        user(...named.map(result), ...(named.length === 0 || n % 2 === 0 ? [text(words || 'Go on.')] : [])),
      ];
    }),
  );
}

describe('a conversation', () => {
  it('is whole to the service: what it holds and what is sent are what would be sent without a thread', () => {
    const ways = new Set<string>();
    fc.assert(
      fc.property(rounds(), (given) => {
        const before = [user(text('Hi.')), ...given.slice(0, -2)];
        const [answer, next] = given.slice(-2) as [AssistantMessage, Message];
        const messages = [...before, answered(before, answer), next];
        const way = wayOf(messages);
        ways.add(way.type);
        if (way.type !== 'continue') return;
        const later = threadRequest(way, bodyOf(messages));
        const held = mergeRoles([...bodyOf(before).messages, ...toWireMessages([answer])]);
        const rebuilt = JSON.stringify([...held, ...later.messages]).replaceAll('\\ud800', '\ufffd');
        expect(rebuilt).toBe(JSON.stringify(bodyOf(messages).messages));
      }),
    );
    expect(ways).toEqual(new Set(['continue', 'create'])); // an open search that words follow is not the service's
  });

  it('of another provider has its results under the ids that the service was told', () => {
    const before = [user(text('Hi.')), assistant(call('a.b')), user(result('a.b'))];
    const messages = [...before, answered(before, assistant(call('toolu_1'))), user(result('toolu_1'))];
    const later = threadRequest(wayOf(messages) as typeof CREATE, bodyOf(messages));
    expect(later.messages).toMatchObject([{ content: [{ tool_use_id: 'toolu_1' }] }]);
    expect(later).not.toHaveProperty('system');
    expect(later).not.toHaveProperty('tools');
  });

  it('that the service does not hold is put without a thread, until another model has answered', () => {
    const unsupported = { ...assistant(text('Yes?')), meta: { anthropic: { thread: 'unsupported' } } };
    const messages = [user(text('Hi.')), unsupported, user(text('And?'))];
    expect(wayOf(messages)).toEqual({ type: 'unthreaded' });
    expect(wayOf([...messages, assistant(text('I am another.')), user(text('Oh.'))])).toEqual(CREATE);
  });

  it('is known again after its way through a payload', () => {
    const before = [user(text('Hi.'))];
    const answer = answered(before, assistant(text('a\ud800'), call('toolu_1')));
    const messages = JSON.parse(JSON.stringify([...before, answer, user(result('toolu_1'))]));
    expect(wayOf(messages)).toEqual({ type: 'continue', id: 'msg_1' });
  });

  it.each<[string, Partial<Answered>]>([
    ['that is refused', { stopReason: 'refusal' }],
    ['of a fallback model', { isOfFallback: true }],
    ['without an id', { id: undefined }],
    ['with a call that is no JSON', { message: assistant({ ...call('toolu_1'), malformed: '{' }) }],
  ])('is not gone on with from an answer %s', (_, changes) => {
    expect(answered([user(text('Hi.'))], assistant(text('Yes?')), changes).meta).toBeUndefined();
  });

  it.each([
    null,
    5,
    [[]],
    { anthropic: null },
    { anthropic: [] },
    { anthropic: { thread: 7 } },
    { anthropic: { thread: 'create' } },
    { anthropic: { thread: { id: 5, fingerprint: 'x' } } },
    { anthropic: { thread: { id: 'msg_1' } } },
    { anthropic: { thread: { id: '', fingerprint: '' } } },
    { anthropic: { thread: { id: 'msg_1', fingerprint: 'AAAAAAAAAAAAAAAAAAAAAA' } } },
    { openai: { thread: { id: 'msg_1', fingerprint: 'x' } } },
  ])('begins anew where somebody wrote %j as its meta, which is not sent', (meta) => {
    const answer = { ...assistant(text('Yes?')), meta } as unknown as AssistantMessage;
    const messages = [user(text('Hi.')), answer, user(text('And?'))];
    expect(wayOf(messages)).toEqual(CREATE);
    expect(JSON.stringify(threadRequest(CREATE, bodyOf(messages)))).not.toMatch(/meta|msg_1/);
  });

  it.each([
    ['id', { id: 'msg_2' }],
    ['fingerprint', { fingerprint: 'AAAAAAAAAAAAAAAAAAAAAA' }],
  ])('begins anew with the %s of another one', (_, changes) => {
    const before = [user(text('Hi.'))];
    const answer = answered(before, assistant(text('Yes?')));
    const thread = { ...Object(answer.meta?.['anthropic'])['thread'], ...changes };
    const forged = { ...answer, meta: { anthropic: { thread } } };
    expect(wayOf([...before, answer, user(text('And?'))])).toEqual({ type: 'continue', id: 'msg_1' });
    expect(wayOf([...before, forged, user(text('And?'))])).toEqual(CREATE);
  });
});

describe('after a refusal', () => {
  const refusal = (error_code: unknown) =>
    Object.assign(new Error('no'), { error: { error: { details: { error_code } } } });
  const CONTINUE: Way = { type: 'continue', id: 'msg_1' };
  const UNTHREADED: Way = { type: 'unthreaded' };

  it.each(THREAD_CODES)('with %s a thread is begun anew, and where it can not be, there is none', (code) => {
    const isUnsupported = code === 'thread_unsupported_request';
    expect(wayAfter(CONTINUE, refusal(code))).toEqual(CREATE);
    expect(wayAfter(CREATE, refusal(code))).toEqual(isUnsupported ? UNTHREADED : undefined);
    expect(wayAfter(UNTHREADED, refusal(code))).toBeUndefined();
  });

  it.each([
    undefined,
    null,
    'thread_not_found',
    new Error('thread_not_found'),
    refusal(undefined),
    refusal(7),
    refusal('thread_of_tomorrow'),
    Object.assign(new Error('no'), { error: 'thread_not_found' }),
    Object.assign(new Error('no'), { error: { error: null } }),
  ])('for another reason (%j) there is no other way', (error) => {
    for (const way of [CONTINUE, CREATE, UNTHREADED]) expect(wayAfter(way, error)).toBeUndefined();
  });
});
