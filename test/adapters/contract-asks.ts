// How the contract tests ask a wire, and what they ask.

import { expect } from 'vitest';
import type { ModelEvent, ModelRequest } from '../../src/adapters/model-adapter.ts';
import { type AssistantMessage, callsOf, type Message, type UserBlock } from '../../src/protocol/messages.ts';
import { KEY, type WireUnderTest } from './wires.ts';

/** The last event of an answer. */
export type Finished = Extract<ModelEvent, { type: 'finished' }>;

/** A signal that does not abort. */
export const NEVER = new AbortController().signal;

/** What the user says first. */
export const HI: Message = { role: 'user', content: [{ type: 'text', text: 'hi' }] };

const LOOK = { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: { q: {} } } };

/** A request with instructions and one tool. */
export const REQUEST: ModelRequest = {
  model: 'model-3',
  instructions: 'Be brief.',
  tools: [LOOK],
  messages: [HI],
  maxOutputTokens: 64_000,
};

/** Asks the adapter of a wire, whose fake is at `url`. */
export function asking(under: WireUnderTest, url: () => string) {
  const stream = (request: Partial<ModelRequest> = {}, signal = NEVER): AsyncIterable<ModelEvent> =>
    under.create(url(), KEY).stream({ ...REQUEST, ...request }, signal);
  const ask = async (request: Partial<ModelRequest> = {}): Promise<Finished> =>
    (await collect(stream(request))).at(-1) as Finished;
  return { stream, ask };
}

/** All events of an answer. */
export async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** What is thrown; the test fails where nothing is. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail('nothing was thrown'),
    (error: unknown) => error,
  );
}

/** The results of all calls of a message. */
export function resultsFor(message: AssistantMessage): Message {
  const content: UserBlock[] = callsOf(message).map(({ callId, input }) => {
    return { type: 'result', callId, content: [{ type: 'text', text: `found ${JSON.stringify(input)}` }] };
  });
  return { role: 'user', content };
}
