import type { RunEvent } from '../protocol/events.ts';

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>;

/**
 * The events in the order in which a person reads them: the answer once, though it is both the model's last text and
 * the turn's final one, and the usage below it. Where something outside ended the run, its words stand for the answer.
 * An event is held back only until the next one decides about it.
 */
export async function* inReadingOrder(events: AsyncIterable<RunEvent>): AsyncGenerator<RunEvent> {
  let held: RunEvent[] = [];
  let answer = '';
  for await (const event of events) {
    if (event.type === 'usage') {
      held.push(event);
      continue;
    }
    if (event.type === 'final_text') {
      answer = event.text;
      yield* answered(held, event);
    } else {
      yield* held;
      if (event.type === 'run_finished') yield* lastWords(event, answer);
      if (event.type !== 'assistant_text') yield event;
    }
    held = event.type === 'assistant_text' ? [event] : [];
  }
  yield* held;
}

function answered(held: readonly RunEvent[], answer: EventOf<'final_text'>): readonly RunEvent[] {
  const texts = held.filter((event) => event.type === 'assistant_text' && event.text !== answer.text);
  return [...texts, answer, ...held.filter(({ type }) => type === 'usage')];
}

function lastWords(event: EventOf<'run_finished'>, answer: string): readonly RunEvent[] {
  const { text } = event.result;
  // A result that is read from a memo may be cut.
  if (text === '' || answer.startsWith(text.replace(/…$/, ''))) return [];
  const { cursor, at, run, turn } = event;
  return [{ cursor, at, run, turn, type: 'final_text', text }];
}
