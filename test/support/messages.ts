// Answers of the fake Messages API in one word each.

import type { MessageAnswer } from '../fake-model-api/answers.ts';
import { answer, call, text } from '../fake-model-api/samples.ts';

let made = 0;

/** An answer that ends the turn with a text. */
export function says(words: string): MessageAnswer {
  return answer(text(words));
}

/** An answer that calls tools, `[name, input]` each, under ids that are never used twice. */
export function asks(...asked: (readonly [name: string, input?: object])[]): MessageAnswer {
  return answer(...asked.map(([name, input]) => call(`toolu_${++made}`, input, name)));
}
