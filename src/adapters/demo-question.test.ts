import { expect, test } from 'vitest';
import { wantsOf } from './demo-question.ts';

/** What a question asks for, in short: `time Asia/Tokyo`, `weather Tokyo`, `sum 1,2`. */
function shortly(question: string): readonly string[] {
  return wantsOf(question, []).map((want) => {
    if (want.type === 'sum') return `sum ${want.numbers}`;
    if (want.type === 'time') return `time ${want.place.zone}`;
    return want.type === 'weather' ? `weather ${want.place.name}` : want.type;
  });
}

test.each([
  ['Is it raining in london and paris?', ['weather London', 'weather Paris']],
  ['Time in Berlin, Tokyo and New York please', ['time Europe/Berlin', 'time Asia/Tokyo', 'time America/New_York']],
  ['what day is it in sydney', ['time Australia/Sydney']],
  ['what time is it in New Delhi and in Nairobi', ['time Asia/Kolkata', 'time Africa/Nairobi']],
  ['Time in the UK? Weather in the UK?', ['time Europe/London', 'weather UK']],
  ['Tell me the time in Seoul and the weather in Bled. What is 1 + 1?', ['time Asia/Seoul', 'weather Bled', 'sum 1,1']],
  ['weather in Ho Chi Minh City and Kuala Lumpur', ['weather Ho Chi Minh City', 'weather Kuala Lumpur']],
  ['weather in St. Petersburg, and in springfield please', ['weather St. Petersburg', 'weather springfield']],
  ['add 3 and 4 and tell me the time in Lagos', ['sum 3,4', 'time Africa/Lagos']],
  ["What's the time? And the weather?", ['time UTC', 'weather_somewhere']],
  ['the weather in Asia/Ho_Chi_Minh', ['weather Asia/Ho_Chi_Minh']],
  ['It is time to go', []],
  ['Is it hot at the beach?', []],
  ['I was born in Rome', []],
])('%s', (question, wants) => {
  expect(shortly(question)).toEqual(wants);
});
