import { z } from 'zod';
import { assertNever } from '../protocol/json.ts';
import type { JsonObject } from '../protocol/messages.ts';
import { cityOf, type Place } from './demo-places.ts';
import type { Want } from './demo-question.ts';

/** A call that the demo model needs. */
export interface Ask {
  readonly name: string;
  readonly input: JsonObject;
}

/** What came of a call. */
interface Told {
  readonly text: string;
  readonly isError: boolean;
}

/** What is known of the tools: which there are, and what they have told. */
export interface Knowledge {
  offers(name: string): boolean;
  told(ask: Ask): Told | undefined;
}

/** Where a want stands: a call has to be made, or there is something to say. */
export type Settled = { readonly type: 'ask'; readonly ask: Ask } | { readonly type: 'say'; readonly text: string };

const timeSchema = z.object({ date: z.string(), time: z.string(), weekday: z.string(), utcOffset: z.string() });
const sumSchema = z.object({ sum: z.number() });
const weatherSchema = z.object({
  place: z.string(),
  temperatureCelsius: z.number(),
  conditions: z.string(),
  humidityPercent: z.number().optional(),
  windKmPerHour: z.number().optional(),
});

/** Settles a want from what the tools told, and from nothing else. */
export function settle(want: Want, knowledge: Knowledge): Settled {
  switch (want.type) {
    case 'time':
      return settleTime(want.place, knowledge);
    case 'weather':
      return settleWeather(want.place, knowledge);
    case 'weather_somewhere':
      return say('Tell me a city, and I look up its weather.');
    case 'sum':
      return settleSum(want.numbers, knowledge);
    case 'named_tool': {
      const ask = { name: want.name, input: want.input };
      return settleCall(ask, `run ${want.name}`, knowledge, (told) => quote(ask, told));
    }
    default:
      return assertNever(want);
  }
}

function settleTime({ name, zone }: Place, knowledge: Knowledge): Settled {
  if (zone === undefined) return say(`I know no time zone for ${name}; name one, such as America/Chicago.`);
  const ask = { name: 'get_time', input: { zone } };
  return settleCall(ask, `get the time in ${name}`, knowledge, (told) => {
    const now = read(timeSchema, told);
    if (now === undefined) return quote(ask, told);
    return say(`In ${name} it is ${now.time} on ${now.weekday}, ${now.date} (UTC${now.utcOffset}).`);
  });
}

function settleWeather(place: Place, knowledge: Knowledge): Settled {
  const ask = { name: 'get_weather', input: { city: cityOf(place) } };
  return settleCall(ask, `get the weather in ${cityOf(place)}`, knowledge, (told) => {
    const now = read(weatherSchema, told);
    if (now === undefined) return quote(ask, told);
    const parts = [`${now.temperatureCelsius} °C`, now.conditions];
    if (now.humidityPercent !== undefined) parts.push(`humidity ${now.humidityPercent} %`);
    if (now.windKmPerHour !== undefined) parts.push(`wind ${now.windKmPerHour} km/h`);
    return say(`Weather in ${now.place}: ${parts.join(', ')}.`);
  });
}

/** Adds number after number: the tool takes two, so each call builds on the sum that the one before told. */
function settleSum(
  [first = 0, second = 0, ...rest]: readonly number[],
  knowledge: Knowledge,
  terms = `${first}`,
): Settled {
  const ask = { name: 'add_numbers', input: { a: first, b: second } };
  const sofar = `${terms} + ${second}`;
  return settleCall(ask, `add ${first} and ${second}`, knowledge, (told) => {
    const sum = read(sumSchema, told)?.sum;
    if (sum === undefined) return quote(ask, told);
    return rest.length === 0 ? say(`${sofar} = ${sum}.`) : settleSum([sum, ...rest], knowledge, sofar);
  });
}

function settleCall(ask: Ask, purpose: string, knowledge: Knowledge, done: (told: Told) => Settled): Settled {
  if (!knowledge.offers(ask.name)) return say(`I have no tool ${ask.name} here, so I cannot ${purpose}.`);
  const told = knowledge.told(ask);
  if (told === undefined) return { type: 'ask', ask };
  return told.isError ? say(`I could not ${purpose}: ${sentence(told.text)}`) : done(told);
}

/** The first line of a tool's words, with a full stop. */
function sentence(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return /[.!?]$/.test(line) ? line : `${line}.`;
}

function say(text: string): Settled {
  return { type: 'say', text };
}

function quote({ name }: Ask, { text }: Told): Settled {
  return say(`${name} says: ${text}.`);
}

function read<T>(schema: z.ZodType<T>, { text }: Told): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    // Not JSON: another tool of that name. Its text is passed on as it is.
    return undefined;
  }
}
