import { describe, expect, test } from 'vitest';
import { isWellFormed, parseBody } from './read-body.ts';
import { assistant, call, requestOf, result, text, thinking, user } from './samples.ts';
import { complaintAbout } from './strict-rules.ts';
import type { WireBlock, WireMessage, WireRequest } from './wire.ts';

const ask = user(text('do it'));

function complaint(...messages: readonly WireMessage[]): string | undefined {
  return complaintAbout(requestOf(...messages), { sent: [] });
}

function complaintWith(fields: object): string | undefined {
  return complaintAbout({ ...requestOf(ask), ...fields } as WireRequest, { sent: [] });
}

function image(mediaType: string, hex: string, filler = 0): WireBlock {
  const data = Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(filler)]).toString('base64');
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

const PNG = '89504e470d0a1a0a0000000d49484452';

describe('a legal request', () => {
  test('with calls, their results and words after them passes', () => {
    const turn = assistant(text('let me look'), call('toolu_1'), call('toolu_2'));
    expect(complaint(ask, turn, user(result('toolu_1'), result('toolu_2'), text('and hurry')))).toBeUndefined();
  });

  test('may have content as a string, cache marks, tools and an image in a result', () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const shot = result('toolu_1', [{ ...text('a shot'), ...mark }, image('image/png', PNG)]);
    const messages = [{ role: 'user', content: 'go' } as const, assistant(call('toolu_1')), user(shot)];
    expect(
      complaintWith({ messages, tools: [{ name: 'look', ...mark }], system: [{ ...text('be kind'), ...mark }] }),
    ).toBeUndefined();
  });
});

describe('rules 1 to 4: calls and results', () => {
  test('a call needs its result in the very next message', () => {
    expect(complaint(ask, assistant(call('toolu_1')))).toContain('toolu_1');
    expect(complaint(ask, assistant(call('toolu_1')), user(text('hm')))).toContain('without `tool_result`');
    expect(complaint(ask, assistant(call('a'), call('b')), user(result('a')), user(result('b')))).toBeDefined();
  });

  test('a result needs its call in the message before', () => {
    expect(complaint(user(result('toolu_9')))).toContain('unexpected `tool_use_id`');
    expect(complaint(ask, assistant(call('a')), user(result('a'), result('a')))).toContain('unexpected');
  });

  test('results stand before anything else', () => {
    expect(complaint(ask, assistant(call('a')), user(text('hi'), result('a')))).toContain('before any other');
  });

  test('ids are unique over the request and of legal characters', () => {
    expect(complaint(ask, assistant(call('a'), call('a')), user(result('a')))).toContain('unique');
    const again = [assistant(call('a')), user(result('a'))];
    expect(complaint(ask, ...again, ...again)).toContain('unique: a');
    expect(complaint(ask, assistant(call('a b')), user(result('a b')))).toContain('pattern');
  });
});

describe('rules 5 to 8: inputs, emptiness, names, cache marks', () => {
  test.each([[null], [[]], ['{}'], [7]])('input %j is no object', (input) => {
    expect(complaint(ask, assistant(call('a', input)), user(result('a')))).toContain('valid dictionary');
  });

  test('nothing is empty', () => {
    expect(complaint(user(text('')))).toContain('non-empty');
    expect(complaint(ask, assistant(), user(text('x')))).toContain('non-empty');
    expect(complaint(ask, assistant(call('a')), user(result('a', [text('')])))).toContain('non-empty');
    expect(complaintWith({ messages: [{ role: 'user', content: '' }] })).toContain('non-empty');
    expect(complaintWith({ system: [text('')] })).toContain('non-empty');
  });

  test('white space is no text unless other text stands beside it', () => {
    expect(complaint(user(text(' \n')))).toContain('non-whitespace');
    expect(complaint(user(text(' '), text('word')))).toBeUndefined();
  });

  test('a result that is an error has content', () => {
    const bare = { ...result('a', []), is_error: true };
    expect(complaint(ask, assistant(call('a')), user(bare))).toContain('is_error');
    expect(complaint(ask, assistant(call('a')), user({ ...bare, content: 'broken' }))).toBeUndefined();
    expect(complaint(ask, assistant(call('a')), user(result('a', [])))).toBeUndefined();
  });

  test('tool names are legal and unique, in calls too', () => {
    expect(complaintWith({ tools: [{ name: 'files.read' }] })).toContain('files.read');
    expect(complaintWith({ tools: [{ name: 'x'.repeat(129) }] })).toContain('pattern');
    expect(complaintWith({ tools: [{ name: 'a' }, { name: 'a' }] })).toContain('unique');
    expect(complaint(ask, assistant(call('a', {}, 'no name')), user(result('a')))).toContain('no name');
  });

  test('five cache marks are one too many', () => {
    const marked = { ...text('x'), cache_control: { type: 'ephemeral' } };
    expect(complaint(user(marked, marked, marked, marked))).toBeUndefined();
    expect(complaint(user(marked, marked, marked, marked, marked))).toContain('Found 5');
    expect(complaint(ask, assistant(call('a', { cache_control: {} })), user(result('a')))).toBeUndefined();
  });
});

describe('rule 9: thinking', () => {
  const sent = [
    [thinking('first'), text('so'), call('a')],
    [text(''), thinking('second'), call('b')],
  ];
  const judge = (...messages: readonly WireMessage[]) => complaintAbout(requestOf(ask, ...messages), { sent });
  const first = [assistant(thinking('first'), text('so'), call('a')), user(result('a'))];

  test('unchanged in its place it passes, empty text left out', () => {
    expect(judge(...first, assistant(thinking('second'), call('b')), user(result('b')))).toBeUndefined();
  });

  test.each([
    ['changed', [{ ...thinking('first'), signature: 'other' }, text('so'), call('a')]],
    ['moved', [text('so'), thinking('first'), call('a')]],
    ['dropped', [text('so'), call('a')]],
    ['made up', [thinking('mine'), call('a')]],
  ])('%s it is refused', (_, blocks) => {
    expect(judge(assistant(...blocks), user(result('a')))).toContain('cannot be modified');
  });

  test('outside the current loop it may be dropped', () => {
    expect(judge(assistant(text('so'), call('a')), user(result('a')), assistant(text('done')), ask)).toBeUndefined();
  });

  test('a message of the client itself needs none', () => {
    expect(judge(assistant(call('mine')), user(result('mine')))).toBeUndefined();
  });
});

describe('rule 10: server tools', () => {
  const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } };
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };

  test('an open call stands in the last assistant message, before results only', () => {
    expect(complaint(ask, assistant(text('hm'), search))).toBeUndefined();
    expect(complaint(ask, assistant(search, call('a')), user(result('a')))).toBeUndefined();
    expect(complaint(ask, assistant(search, call('a')), user(result('a'), text('hi')))).toContain('srvtoolu_1');
    expect(complaint(ask, assistant(search), user(text('go on')))).toContain('srvtoolu_1');
    expect(complaint(ask, assistant(search), assistant(text('x')))).toContain('srvtoolu_1');
  });

  test('its result may come in a later message', () => {
    const later = [user(result('a')), assistant(found, text('done')), ask];
    expect(complaint(ask, assistant(search, call('a')), ...later)).toBeUndefined();
  });

  test('it never gets a plain result', () => {
    expect(complaint(ask, assistant(search), user(result('srvtoolu_1')))).toContain('server tool');
  });
});

describe('rules 11 to 13: images, Unicode, thinking and choice', () => {
  test.each([
    ['image/svg+xml', '3c737667', 0, 'media_type'],
    ['image/jpeg', PNG, 0, 'does not appear'],
    ['image/png', PNG, 4_200_000, 'exceeds 5 MB'],
  ])('an image of type %s with bytes %s is refused', (mediaType, hex, filler, words) => {
    expect(complaint(user(image(mediaType, hex, filler)))).toContain(words);
  });

  test.each([
    ['image/jpeg', 'ffd8ffe0'],
    ['image/gif', '474946383961'],
    ['image/webp', '524946460000000057454250'],
  ])('an image of type %s passes', (mediaType, hex) => {
    expect(complaint(user(image(mediaType, hex)))).toBeUndefined();
  });

  test('a body is JSON in well-formed Unicode', () => {
    expect(parseBody(Buffer.from('{"a":')).outcome).toBe('invalid');
    expect(parseBody(Buffer.from([0x22, 0xff, 0x22])).outcome).toBe('invalid');
    expect(parseBody(Buffer.from('"\\ud83d"')).outcome).toBe('invalid');
    expect(parseBody(Buffer.from('"\\ud83d\\ude00 \\\\ud83d"')).outcome).toBe('json');
  });

  test('a surrogate without its partner is found in text and in escapes', () => {
    expect(isWellFormed('\ud83d!')).toBe(false);
    expect(isWellFormed('\\ude00')).toBe(false);
    expect(isWellFormed('😀 \\uD83D\\uDE00')).toBe(true);
  });

  test('manual thinking leaves the choice of tool free', () => {
    const enabled = { type: 'enabled', budget_tokens: 1_024 };
    expect(complaintWith({ thinking: enabled, tool_choice: { type: 'any' } })).toContain('tool_choice');
    expect(complaintWith({ thinking: enabled, tool_choice: { type: 'auto' } })).toBeUndefined();
    expect(complaintWith({ thinking: { type: 'adaptive' }, tool_choice: { type: 'any' } })).toBeUndefined();
  });
});

describe('the shape of a request', () => {
  test.each([
    [{ model: undefined }, 'model'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages.0'],
    [{ messages: [{ ...ask, id: 'm1' }] }, 'messages.0'],
    [{ maxTokens: 1 }, 'maxTokens'],
    [{ tools: {} }, 'tools'],
  ])('%j is refused', (fields, words) => {
    expect(complaintWith(fields)).toContain(words);
  });

  test('blocks have no unknown types and no unknown fields', () => {
    expect(complaint(user({ type: 'call', callId: 'x' }))).toContain("'call'");
    expect(complaint(user({ ...text('x'), meta: {} }))).toContain('text.meta');
    expect(complaint(ask, assistant({ type: 'thinking', thinking: 'x' }))).toBeDefined();
  });

  test('unknown block types pass where they are allowed', () => {
    const odd = requestOf(ask, assistant({ type: 'future_block', data: 1 }), ask);
    expect(complaintAbout(odd, { sent: [] }, 'allowed')).toBeUndefined();
    expect(complaintAbout(odd, { sent: [] })).toContain('future_block');
  });
});
