import type { MessageAnswer } from '../fake-model-api/answers.ts';
import type { RecordedRequest } from '../fake-model-api/recorded-request.ts';
import { answer, call, text } from '../fake-model-api/samples.ts';
import { blocksOf, messagesOf } from '../fake-model-api/wire.ts';
import type { ToolName } from './agents.ts';
import { FATAL_ITERATION } from './fates.ts';

/** What the user asks for; the model goes by it. */
export function promptFor(tools: readonly ToolName[]): string {
  return `Use ${tools.join(' and ')}.`;
}

/** The iteration that a request belongs to, counted from 1. */
export function iterationOf({ body }: RecordedRequest): number {
  return messagesOf(body).filter(({ role }) => role === 'assistant').length + 1;
}

/** The model: it looks, uses the tools that it is asked to use, and ends. The same messages always get the same answer. */
export function answerTo(request: RecordedRequest): MessageAnswer {
  const iteration = iterationOf(request);
  if (iteration < FATAL_ITERATION) return answer(text('I look first.'), call('toolu_look', { item: 'place' }, 'look'));
  if (iteration > FATAL_ITERATION) return answer(text('All that was asked for is done.'));
  const calls = askedFor(request).map((tool) => call(`toolu_asked_${tool}`, { item: 'thing' }, tool));
  return answer(text('Now I do what was asked for.'), ...calls);
}

function askedFor({ body }: RecordedRequest): readonly string[] {
  const [prompt] = blocksOf(messagesOf(body)[0]?.content);
  const names = /^Use (.+)\.$/.exec(String(prompt?.text))?.[1];
  if (names === undefined) throw new Error(`the model was asked for nothing: ${JSON.stringify(prompt)}`);
  return names.split(' and ');
}
