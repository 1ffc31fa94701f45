import { describe, expect, test } from 'vitest';
import type { CallBlock, Message, UserBlock } from '../protocol/messages.ts';
import { callsOf, textOf, userMessage } from '../protocol/messages.ts';
import type { ToolSpec } from '../protocol/snapshot.ts';
import { createDemoAdapter } from './demo.ts';
import { ModelError, type ModelEvent, type ModelRequest } from './model-adapter.ts';

type Answer = (input: CallBlock['input']) => unknown;

class Failure {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const TOOLS: Readonly<Record<string, Answer>> = {
  get_time: ({ zone }) =>
    String(zone).startsWith('Mars')
      ? new Failure(`"${zone}" is not an IANA time zone.`)
      : { zone, date: '2026-03-01', time: '04:05:06', weekday: 'Sunday', utcOffset: '+09:00' },
  add_numbers: ({ a, b }) => ({ sum: Number(a) + Number(b) }),
  get_weather: ({ city }) =>
    city === 'Atlantis'
      ? new Failure('No city named "Atlantis" was found\n(details)')
      : { place: city, temperatureCelsius: 21.5, conditions: 'light rain', humidityPercent: 60, windKmPerHour: 8 },
};

interface Talk {
  readonly messages: Message[];
  readonly tools: readonly ToolSpec[];
  readonly answers: Readonly<Record<string, Answer>>;
}

function talk(answers: Readonly<Record<string, Answer>> = TOOLS, schemas: Record<string, ToolSpec> = {}): Talk {
  const tools = Object.keys(answers).map(
    (name) => schemas[name] ?? { name, description: name, input_schema: { type: 'object' } },
  );
  return { messages: [], tools, answers };
}

function requestOf({ messages, tools }: Talk): ModelRequest {
  return { model: 'demo', instructions: 'Be kind.', tools, messages, maxOutputTokens: 1_000 };
}

async function eventsOf(request: ModelRequest, signal = new AbortController().signal): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of createDemoAdapter().stream(request, signal)) events.push(event);
  return events;
}

function lastOf(events: readonly ModelEvent[]): Extract<ModelEvent, { type: 'finished' }> {
  const last = events.at(-1);
  if (last?.type !== 'finished') throw new Error('the stream did not finish');
  return last;
}

/** Plays the loop: asks, runs the calls, asks again until the model ends its turn. */
async function ask(conversation: Talk, question: string): Promise<{ text: string; calls: CallBlock[][] }> {
  const { messages, answers } = conversation;
  messages.push(userMessage(question));
  const calls: CallBlock[][] = [];
  for (let iteration = 0; iteration < 6; iteration++) {
    const { message, stopReason } = lastOf(await eventsOf(requestOf(conversation)));
    messages.push(message);
    if (stopReason === 'end_turn') return { text: textOf(message), calls };
    expect(stopReason).toBe('tool_use');
    calls.push([...callsOf(message)]);
    messages.push({ role: 'user', content: callsOf(message).map((call) => resultOf(call, answers)) });
  }
  throw new Error('the model went on for ever');
}

function resultOf(call: CallBlock, answers: Readonly<Record<string, Answer>>): UserBlock {
  const output = answers[call.name]?.(call.input);
  const failed = output instanceof Failure;
  const text = failed ? output.text : JSON.stringify(output);
  return { type: 'result', callId: call.callId, content: [{ type: 'text', text }], ...(failed && { isError: true }) };
}

const asked = (calls: CallBlock[][]) => calls.map((iteration) => iteration.map(({ name, input }) => [name, input]));

describe('the ten questions', () => {
  test('1: the time in a city and a sum, asked for at once', async () => {
    const { text, calls } = await ask(talk(), 'What time is it in Seoul, and what is 19 + 23?');
    expect(asked(calls)).toEqual([
      [
        ['get_time', { zone: 'Asia/Seoul' }],
        ['add_numbers', { a: 19, b: 23 }],
      ],
    ]);
    expect(text).toBe('In Seoul it is 04:05:06 on Sunday, 2026-03-01 (UTC+09:00). 19 + 23 = 42.');
  });

  test('2: other zones, by city, by several cities and by IANA name', async () => {
    const { calls } = await ask(
      talk(),
      "What's the time in New York and são paulo? And the time in America/Argentina/Ushuaia?",
    );
    expect(asked(calls)).toEqual([
      [
        ['get_time', { zone: 'America/New_York' }],
        ['get_time', { zone: 'America/Sao_Paulo' }],
        ['get_time', { zone: 'America/Argentina/Ushuaia' }],
      ],
    ]);
  });

  test('3: other numbers, with decimals and a minus', async () => {
    const { text, calls } = await ask(talk(), 'What is 2.5 plus 3, and -4 + -6.5?');
    expect(asked(calls)).toEqual([
      [
        ['add_numbers', { a: 2.5, b: 3 }],
        ['add_numbers', { a: -4, b: -6.5 }],
      ],
    ]);
    expect(text).toBe('2.5 + 3 = 5.5. -4 + -6.5 = -10.5.');
  });

  test('4: a city’s weather', async () => {
    const { text, calls } = await ask(talk(), 'How is the weather in Lisbon today?');
    expect(asked(calls)).toEqual([[['get_weather', { city: 'Lisbon' }]]]);
    expect(text).toBe('Weather in Lisbon: 21.5 °C, light rain, humidity 60 %, wind 8 km/h.');
  });

  test('5: weather and time of one city', async () => {
    const { calls } = await ask(talk(), 'Tell me the weather and the time in Tokyo');
    expect(asked(calls)).toEqual([
      [
        ['get_weather', { city: 'Tokyo' }],
        ['get_time', { zone: 'Asia/Tokyo' }],
      ],
    ]);
    const there = await ask(talk(), 'Is it cold in Oslo? And what time is it there?');
    expect(asked(there.calls)).toEqual([
      [
        ['get_weather', { city: 'Oslo' }],
        ['get_time', { zone: 'Europe/Oslo' }],
      ],
    ]);
  });

  test('6: three questions of three kinds', async () => {
    const { calls } = await ask(talk(), 'Paris weather, the time in Berlin, and 7 plus 8?');
    expect(asked(calls)).toEqual([
      [
        ['get_weather', { city: 'Paris' }],
        ['get_time', { zone: 'Europe/Berlin' }],
        ['add_numbers', { a: 7, b: 8 }],
      ],
    ]);
    const before = await ask(talk(), 'In Rome, what is the time and the weather? Tokyo weather and Paris time, too.');
    expect(asked(before.calls)).toEqual([
      [
        ['get_time', { zone: 'Europe/Rome' }],
        ['get_weather', { city: 'Rome' }],
        ['get_weather', { city: 'Tokyo' }],
        ['get_time', { zone: 'Europe/Paris' }],
      ],
    ]);
  });

  test('6: a question without a place is about UTC, or asks for a city', async () => {
    const { text, calls } = await ask(talk(), 'What time is it?');
    expect(asked(calls)).toEqual([[['get_time', { zone: 'UTC' }]]]);
    expect(text).toContain('In UTC it is');
    expect((await ask(talk(), 'How is the weather?')).text).toBe('Tell me a city, and I look up its weather.');
  });

  test.each([
    'Who wrote Hamlet?',
    'Write me a poem about the sea.',
    'Seoul',
    'What is 7 times 6?',
    'Could you help me next time in a hurry?',
    '   ',
  ])('7: anything else is told what it can do: %s', async (question) => {
    const { text, calls } = await ask(talk(), question);
    expect(calls).toEqual([]);
    expect(text).toMatch(/time .* sums\b.* weather/);
  });

  test('8: thanks', async () => {
    const { text, calls } = await ask(talk(), 'Thank you!');
    expect(calls).toEqual([]);
    expect(text).toBe('You are welcome.');
  });

  test('9: a city whose zone it does not know', async () => {
    const { text, calls } = await ask(
      talk(),
      'What time is it in Springfield, and what is the weather in Springfield?',
    );
    expect(asked(calls)).toEqual([[['get_weather', { city: 'Springfield' }]]]);
    expect(text).toContain('I know no time zone for Springfield');
    expect(text).toContain('Weather in Springfield: 21.5 °C');
  });

  test('10: a failed tool is said plainly, and the next question is answered afresh', async () => {
    const conversation = talk();
    const first = await ask(conversation, 'What is the weather in Atlantis and the time in Mars/Olympus?');
    expect(first.text).toContain('I could not get the weather in Atlantis: No city named "Atlantis" was found.');
    expect(first.text).toContain('I could not get the time in Mars/Olympus: "Mars/Olympus" is not an IANA time zone.');
    const second = await ask(conversation, 'Then the weather in Cairo, please');
    expect(asked(second.calls)).toEqual([[['get_weather', { city: 'Cairo' }]]]);
    expect(second.text).not.toContain('Atlantis');
    const ids = conversation.messages.flatMap((m) => (m.role === 'assistant' ? callsOf(m).map((c) => c.callId) : []));
    expect(new Set(ids).size).toBe(3);
  });
});

test('a sum of several numbers goes on from the tool’s own results', async () => {
  const { text, calls } = await ask(talk(), '1 + 2 + 3.5 + 4');
  expect(asked(calls)).toEqual([
    [['add_numbers', { a: 1, b: 2 }]],
    [['add_numbers', { a: 3, b: 3.5 }]],
    [['add_numbers', { a: 6.5, b: 4 }]],
  ]);
  expect(text).toBe('1 + 2 + 3.5 + 4 = 10.5.');
});

test('a wrong answer of a tool is what it tells, for it knows nothing itself', async () => {
  const { text } = await ask(talk({ ...TOOLS, add_numbers: () => ({ sum: 5_000 }) }), '1 + 1?');
  expect(text).toBe('1 + 1 = 5000.');
});

test('an answer that it cannot read is passed on as it is', async () => {
  const { text } = await ask(talk({ ...TOOLS, add_numbers: () => 'about two' }), '1 + 1?');
  expect(text).toBe('add_numbers says: "about two".');
});

test('a tool that the request does not offer is never called', async () => {
  const { text, calls } = await ask(
    talk({ get_time: TOOLS['get_time'] as Answer }),
    'What is 1 + 2 and the time in Rome?',
  );
  expect(asked(calls)).toEqual([[['get_time', { zone: 'Europe/Rome' }]]]);
  expect(text).toContain('I have no tool add_numbers here');
});

test('a tool of one’s own is called when the question names it, with the question’s values', async () => {
  const roll: ToolSpec = {
    name: 'roll_dice',
    description: 'Rolls dice.',
    input_schema: {
      type: 'object',
      properties: { sides: { type: 'integer' }, label: { type: 'string' } },
      required: ['sides'],
    },
  };
  const own = talk({ ...TOOLS, roll_dice: () => ({ rolled: 4 }) }, { roll_dice: roll });
  const named = await ask(own, 'Use roll_dice with 6 sides and the label "blue"');
  expect(asked(named.calls)).toEqual([[['roll_dice', { sides: 6, label: 'blue' }]]]);
  expect(named.text).toBe('roll_dice says: {"rolled":4}.');
  const json = await ask(own, 'Roll dice: {"sides": 20}');
  expect(asked(json.calls)).toEqual([[['roll_dice', { sides: 20 }]]]);
});

test('a message that comes while tools run is answered together with the question before it', async () => {
  const conversation = talk();
  conversation.messages.push(userMessage('What is 1 + 2?'));
  const { message } = lastOf(await eventsOf(requestOf(conversation)));
  const results = callsOf(message).map((call) => resultOf(call, TOOLS));
  conversation.messages.push(message, { role: 'user', content: results });
  const { text, calls } = await ask(conversation, 'and 3 + 4?');
  expect(asked(calls)).toEqual([[['add_numbers', { a: 3, b: 4 }]]]);
  expect(text).toBe('1 + 2 = 3. 3 + 4 = 7.');
});

test('the text comes in pieces that make up the message, and usage counts words', async () => {
  const conversation = talk();
  conversation.messages.push(userMessage('Thanks a lot'));
  const events = await eventsOf(requestOf(conversation));
  const pieces = events.map((event) => (event.type === 'text_delta' ? event.text : ''));
  const { message, usage, rawStopReason, model } = lastOf(events);
  expect(pieces.filter((piece) => piece !== '').length).toBe(3);
  expect(pieces.join('')).toBe(textOf(message));
  expect(usage).toEqual({
    inputTokens: 5,
    outputTokens: 3,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  });
  expect({ rawStopReason, model }).toEqual({ rawStopReason: 'end_turn', model: 'demo' });
});

test('an aborted signal ends the stream with a ModelError', async () => {
  const conversation = talk();
  conversation.messages.push(userMessage('Thanks'));
  const failure = await eventsOf(requestOf(conversation), AbortSignal.abort()).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ModelError);
  expect(failure).toMatchObject({ kind: 'user_cancelled', retryable: false });
});
