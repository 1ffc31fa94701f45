import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../adapters/model-adapter.ts';
import type { Message } from '../protocol/messages.ts';
import { REMOVED } from './redact.ts';
import { type ReplayAdapter, replayAdapter } from './replay-adapter.ts';
import { type RecordedCall, shortForm } from './sequence.ts';

const QUESTION = said('What time is it?');
const CALLS: Message = {
  role: 'assistant',
  content: [
    { type: 'call', callId: 'a', name: 'get_time', input: {} },
    { type: 'call', callId: 'b', name: 'add', input: {} },
  ],
};

function said(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

function results(time: string, sum: string, isError?: true): Message {
  const answers = [
    ['a', time],
    ['b', sum],
  ] as const;
  return {
    role: 'user',
    content: answers.map(([callId, text]) => ({
      type: 'result',
      callId,
      content: [{ type: 'text', text }],
      ...(isError && { isError }),
    })),
  };
}

function request(...messages: readonly Message[]): ModelRequest {
  return { model: 'm', instructions: '', tools: [], messages, maxOutputTokens: 10 };
}

function recorded(asked: ModelRequest, text = 'ok'): RecordedCall {
  return { asked: shortForm(asked), events: [{ type: 'text_delta', text }] };
}

async function ask(adapter: ReplayAdapter, asked: ModelRequest): Promise<string> {
  let text = '';
  for await (const event of adapter.stream(asked, new AbortController().signal)) {
    if (event.type === 'text_delta') text += event.text;
  }
  return text;
}

test('recorded calls are answered in order, and those that are left are counted', async () => {
  const second = request(QUESTION, CALLS, results('noon', '42'));
  const adapter = replayAdapter([recorded(request(QUESTION), 'one'), recorded(second, 'two')]);
  expect(adapter.left).toBe(2);
  expect(await ask(adapter, request(QUESTION))).toBe('one');
  expect(await ask(adapter, second)).toBe('two');
  expect(adapter.left).toBe(0);
});

describe('what differs is named', () => {
  const full = request(QUESTION, CALLS, results('noon', '42'));
  const cases: readonly (readonly [name: string, asked: ModelRequest, message: string])[] = [
    ['another model', { ...full, model: 'n' }, 'the model is n; recorded was m'],
    ['fewer messages', request(QUESTION), 'it is shown 1 message; recorded were 3'],
    ['another side', request(QUESTION, said('x'), CALLS), 'is of the assistant; recorded was one of the user'],
    [
      'another result',
      request(QUESTION, CALLS, results('noon', '43')),
      'block 2 of the last message (result of add, call b) is\n  {"callId":"b"',
    ],
    ['a result that became an error', request(QUESTION, CALLS, results('noon', '42', true)), '"isError":true'],
    [
      'a result that is missing',
      request(QUESTION, CALLS, { role: 'user', content: results('noon', '42').content.slice(0, 1) } as Message),
      'block 2 of the last message (result of add, call b) is missing',
    ],
    [
      'a text that joined',
      request(QUESTION, CALLS, {
        role: 'user',
        content: [...results('noon', '42').content, { type: 'text', text: 'More' }],
      } as Message),
      'block 3 of the last message (text) was not recorded: the last message had 2 blocks',
    ],
  ];
  test.each(cases)('%s', async (_name, asked, message) => {
    const adapter = replayAdapter([recorded(full)]);
    const answer = ask(adapter, asked);
    await expect(answer).rejects.toMatchObject({ kind: 'invalid_request', retryable: false });
    await expect(answer).rejects.toThrow('The run is not as it was recorded, at model call 1 of 1: ');
    await expect(answer).rejects.toThrow(message);
    expect(adapter.left).toBe(1);
  });

  test('both sides are shown around the place where they part', async () => {
    const long = 'a'.repeat(1_000);
    const answer = ask(replayAdapter([recorded(request(said(`${long}one`)))]), request(said(`${long}two`)));
    await expect(answer).rejects.toThrow(/is\n {2}…a{40}two"[^\n]*\nrecorded was\n {2}…a{40}one"/);
  });

  test('one model call too many', async () => {
    await expect(ask(replayAdapter([]), full)).rejects.toThrow('at model call 1 of 0: it was not recorded');
  });
});

test('a result that varies need not be the same, but must be there and as good', async () => {
  const full = request(QUESTION, CALLS, results('noon', '42'));
  const later = (message: Message) =>
    ask(replayAdapter([recorded(full)], { varyingTools: ['get_time'] }), request(QUESTION, CALLS, message));
  expect(await later(results('midnight', '42'))).toBe('ok');
  await expect(later(results('noon', '43'))).rejects.toThrow('result of add');
  await expect(later(results('midnight', '42', true))).rejects.toThrow('result of get_time');
});

test('a secret that was removed may be anything', async () => {
  const call = recorded(request(said(`Use ${REMOVED} (please).`)));
  expect(await ask(replayAdapter([call]), request(said('Use hunter2 (please).')))).toBe('ok');
  await expect(ask(replayAdapter([call]), request(said('Use hunter2, please.')))).rejects.toThrow('block 1');
});
