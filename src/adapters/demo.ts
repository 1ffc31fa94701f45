import type { AssistantMessage, CallBlock, Message, ResultBlock } from '../protocol/messages.ts';
import { callsOf, textOf } from '../protocol/messages.ts';
import { NO_USAGE, type Usage } from '../protocol/run.ts';
import { type Ask, type Knowledge, type Settled, settle } from './demo-answer.ts';
import { KNOWN_TOOLS } from './demo-named-tools.ts';
import { wantsOf } from './demo-question.ts';
import { finished } from './finished.ts';
import { type ModelAdapter, ModelError, type ModelEvent, type ModelRequest } from './model-adapter.ts';

const CAN_DO =
  'I am the offline demo model, a handful of rules. I can tell the time in a city or IANA zone, add numbers for sums, ' +
  'and look up the weather in a city; ask for several at once.';

/**
 * A model that needs no key and no network. By rule it turns a question into calls of the tools that the request offers,
 * all at once, and answers from their results only. Same request, same answer. Its usage counts words as if they were tokens.
 */
export function createDemoAdapter(): ModelAdapter {
  return { stream };
}

async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const message = answer(request);
  for (const piece of textOf(message).match(/\S+\s*/g) ?? []) {
    throwIfAborted(signal);
    yield { type: 'text_delta', text: piece };
  }
  for (const { name } of callsOf(message)) yield { type: 'tool_call', name };
  throwIfAborted(signal);
  yield finished({ model: request.model, content: message.content, usage: usageOf(request, message) });
}

function throwIfAborted(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new ModelError('user_cancelled', 'the call was aborted', { retryable: false, cause: signal.reason });
}

function answer(request: ModelRequest): AssistantMessage {
  const turn = sinceLastAnswer(request.messages);
  const question = turn.map((message) => (message.role === 'user' ? textOf(message) : '')).join('\n');
  const knowledge = knowledgeOf(turn, request);
  const settled = wantsOf(question, request.tools).map((want) => settle(want, knowledge));
  const calls = callBlocks(settled, request.messages.length);
  if (calls.length > 0) return { role: 'assistant', content: calls };
  const said = settled.map((one) => (one.type === 'say' ? one.text : '')).join(' ');
  return { role: 'assistant', content: [{ type: 'text', text: said === '' ? smallTalk(question, request) : said }] };
}

/** What the user asked and the tools told since the last answer that ended a turn. */
function sinceLastAnswer(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.findLastIndex((m) => m.role === 'assistant' && callsOf(m).length === 0) + 1);
}

function knowledgeOf(turn: readonly Message[], request: ModelRequest): Knowledge {
  const results = new Map(turn.flatMap((message) => resultsOf(message).map((result) => [result.callId, result])));
  const calls = turn.flatMap((message) => (message.role === 'assistant' ? callsOf(message) : []));
  const byAsk = new Map(calls.map((call) => [keyOf(call), results.get(call.callId)]));
  const offered = new Set(request.tools.map(({ name }) => name));
  return {
    offers: (name) => offered.has(name),
    told: (ask) => {
      const result = byAsk.get(keyOf(ask));
      return result && { text: resultText(result), isError: result.isError === true };
    },
  };
}

function resultsOf(message: Message): readonly ResultBlock[] {
  return message.role === 'user' ? message.content.filter((block) => block.type === 'result') : [];
}

function resultText(result: ResultBlock): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : `(${block.type})`)).join(' ');
}

function callBlocks(settled: readonly Settled[], position: number): readonly CallBlock[] {
  const asks = settled.flatMap((one) => (one.type === 'ask' ? [one.ask] : []));
  const distinct = [...new Map(asks.map((ask) => [keyOf(ask), ask])).values()];
  return distinct.map(({ name, input }, index) => ({
    type: 'call',
    callId: `call_${position}_${index + 1}`,
    name,
    input,
  }));
}

/** The same for the same call, whatever order a store gave the members of its input. */
function keyOf({ name, input }: Ask): string {
  return `${name} ${JSON.stringify(Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}

function smallTalk(question: string, request: ModelRequest): string {
  if (/\b(?:thanks|thank you)\b/i.test(question)) return 'You are welcome.';
  const others = request.tools.map(({ name }) => name).filter((name) => !KNOWN_TOOLS.includes(name));
  return others.length === 0 ? CAN_DO : `${CAN_DO} I also call a tool that you name: ${others.join(', ')}.`;
}

function usageOf(request: ModelRequest, message: AssistantMessage): Usage {
  const inputTokens = words(request.instructions) + request.messages.reduce((sum, one) => sum + wordsOf(one), 0);
  return { ...NO_USAGE, inputTokens, outputTokens: wordsOf(message) };
}

function wordsOf(message: Message): number {
  let count = 0;
  for (const block of message.content) {
    if (block.type === 'text') count += words(block.text);
    if (block.type === 'call') count += words(`${block.name} ${JSON.stringify(block.input)}`);
    if (block.type === 'result') count += words(resultText(block));
  }
  return count;
}

function words(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}
