import { callsOf, type JsonObject, type Message, type ResultBlock, type ResultContent } from '../protocol/messages.ts';
import type { Outcome } from '../protocol/run.ts';

/** A call of a played run, and what the model was answered. */
export interface PlayedCall {
  readonly callId: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly outcome: Outcome;
  readonly content: readonly ResultContent[];
}

/** The answered calls of a transcript. One that no tool and no limit ended was refused before it ran: it has failed. */
export function playedCalls(messages: readonly Message[], outcomes: ReadonlyMap<string, Outcome>): PlayedCall[] {
  const results = new Map(messages.flatMap(resultsOf).map((result) => [result.callId, result]));
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? callsOf(message) : []));
  return calls.map(({ callId, name, input }) => {
    const content = results.get(callId)?.content ?? [];
    return { callId, name, input, outcome: outcomes.get(callId) ?? 'failed', content };
  });
}

function resultsOf({ role, content }: Message): ResultBlock[] {
  return role === 'user' ? content.filter((block) => block.type === 'result') : [];
}
