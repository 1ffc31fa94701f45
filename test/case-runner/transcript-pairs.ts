import { callsOf, type Message } from '../../src/protocol/messages.ts';

/** What is wrong with the pairs of calls and results in a transcript: each call is answered once, in the next message. */
export function pairFaults(messages: readonly Message[]): string[] {
  const ends = [undefined, ...messages].map((message, at) => [message, messages[at]] as const);
  return ends.flatMap(([before, after]) => {
    const asked = before?.role === 'assistant' ? callsOf(before).map((call) => call.callId) : [];
    const answered = after?.role === 'user' ? resultsOf(after) : [];
    return [
      ...asked.filter((id) => !answered.includes(id)).map((id) => `call ${id} has no result`),
      ...answered.filter((id) => !asked.includes(id)).map((id) => `result ${id} has no call`),
      ...answered.filter((id, at) => answered.indexOf(id) !== at).map((id) => `call ${id} is answered twice`),
    ];
  });
}

function resultsOf(message: Message): string[] {
  return message.content.flatMap((block) => (block.type === 'result' ? [block.callId] : []));
}
