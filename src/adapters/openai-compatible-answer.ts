// The chunks of one Chat Completions stream → neutral events. Lenient where the many servers of this wire differ.

import type { StopReason } from '../protocol/activities.ts';
import type { AssistantBlock, JsonObject, JsonValue } from '../protocol/messages.ts';
import { NO_USAGE, type Usage } from '../protocol/run.ts';
import {
  badResponse,
  incomplete,
  isObject,
  nonEmptyText,
  stopReasonIn,
  tokenCount,
  tokenCountIn,
} from './answer-faults.ts';
import { ModelError, type ModelEvent } from './model-adapter.ts';
import { CallsInProgress } from './openai-compatible-calls.ts';
import { ExtraFields } from './openai-compatible-extras.ts';
import { type AnswerReader, DONE, type WireEvent } from './stream-answer.ts';

const FINISH_REASONS: Readonly<Record<string, StopReason>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  length: 'max_tokens',
  content_filter: 'content_filter',
};
/** Reasons that are faults of the service: another attempt may find it well. */
const FAULTS: ReadonlySet<string> = new Set(['error', 'insufficient_system_resource']);
const ALIVE: readonly ModelEvent[] = [{ type: 'alive' }];

/** One answer while it arrives. */
export class ChatInProgress implements AnswerReader {
  readonly #provider: string;
  readonly #texts: string[] = [];
  readonly #refusals: string[] = [];
  readonly #extras = new ExtraFields();
  readonly #calls: CallsInProgress;
  #model: string;
  #usage: Usage = NO_USAGE;
  #finishReason: string | undefined;

  /** `model` stands in where the answer does not name one; `provider` marks what only it understands. */
  constructor(model: string, provider: string) {
    this.#model = model;
    this.#provider = provider;
    this.#calls = new CallsInProgress(provider);
  }

  /** Throws ModelError `bad_model_response`, `stream_incomplete`, `server_error` or `unknown_stop_reason`. */
  take({ type, data }: WireEvent): readonly ModelEvent[] {
    if (type === DONE) return [this.end()];
    this.#model = nonEmptyText(data['model']) ?? this.#model;
    const events = [...this.#addChoice(data), ...this.#addUsage(data['usage'])];
    return events.length > 0 ? events : ALIVE;
  }

  /** Not every server sends the mark of the end: an answer with a finish reason is whole. */
  end(): ModelEvent {
    const rawStopReason = this.#finishReason;
    if (rawStopReason === undefined) throw incomplete('The answer ended without a finish reason.');
    const calls = this.#calls.toNeutral();
    const refusal = nonEmptyText(this.#refusals.join(''));
    return {
      type: 'finished',
      message: { role: 'assistant', content: [...this.#reasoningAndText(), ...calls] },
      stopReason: stopReasonOf(rawStopReason, refusal, calls.length > 0),
      rawStopReason,
      stopDetails: refusal,
      model: this.#model,
      usage: this.#usage,
    };
  }

  #addChoice(data: JsonObject): readonly ModelEvent[] {
    const choices = data['choices'];
    const choice = Array.isArray(choices) ? choices.find(isObject) : undefined;
    if (choice === undefined) return []; // a chunk with usage, filter results, or nothing at all
    this.#finishReason = nonEmptyText(choice['finish_reason']) ?? this.#finishReason;
    return isObject(choice['delta']) ? this.#addDelta(choice['delta']) : [];
  }

  #addDelta(delta: JsonObject): readonly ModelEvent[] {
    const { role: _, content, refusal, tool_calls, function_call: __, ...extras } = delta;
    if (Array.isArray(content)) throw badResponse('its content is no text');
    if (typeof refusal === 'string') this.#refusals.push(refusal);
    const text = nonEmptyText(content);
    if (text !== undefined) this.#texts.push(text);
    this.#extras.add(extras);
    const reasoning = nonEmptyText(extras['reasoning_content']) ?? nonEmptyText(extras['reasoning']);
    return [
      ...(reasoning === undefined ? [] : [{ type: 'reasoning_delta' as const, text: reasoning }]),
      ...(text === undefined ? [] : [{ type: 'text_delta' as const, text }]),
      ...this.#addCalls(tool_calls),
    ];
  }

  #addCalls(pieces: JsonValue | undefined): readonly ModelEvent[] {
    const begun = Array.isArray(pieces) ? pieces.filter(isObject).map((piece) => this.#calls.add(piece)) : [];
    return begun.filter((name) => name !== undefined).map((name) => ({ type: 'tool_call', name }));
  }

  #addUsage(value: JsonValue | undefined): readonly ModelEvent[] {
    if (!isObject(value)) return [];
    this.#usage = usageOf(value);
    return [{ type: 'usage', usage: this.#usage }];
  }

  #reasoningAndText(): AssistantBlock[] {
    const extras = this.#extras.whole();
    const text = this.#texts.join('');
    return [
      ...(extras === undefined ? [] : [{ type: 'opaque' as const, provider: this.#provider, value: extras }]),
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ];
  }
}

function stopReasonOf(raw: string, refusal: string | undefined, calls: boolean): StopReason {
  if (FAULTS.has(raw)) throw new ModelError('server_error', `The model stopped with "${raw}".`, { retryable: true });
  const reason = stopReasonIn(FINISH_REASONS, raw);
  if (reason !== 'end_turn') return reason;
  if (refusal !== undefined) return 'refusal';
  return calls ? 'tool_use' : reason; // several servers say `stop` after calls, too
}

/**
 * The service counts cached tokens among the prompt's, and reasoning among the completion's. Some count reasoning beside
 * it, which their total shows: https://docs.x.ai/docs/key-information/consumption-and-rate-limits.
 */
function usageOf(value: JsonObject): Usage {
  const count = (field: string) => tokenCount(value[field]) ?? 0;
  const cached =
    tokenCountIn(value['prompt_tokens_details'], 'cached_tokens') ?? tokenCount(value['prompt_cache_hit_tokens']) ?? 0;
  const [prompt, completion] = [count('prompt_tokens'), count('completion_tokens')];
  const reasoning = tokenCountIn(value['completion_tokens_details'], 'reasoning_tokens') ?? 0;
  const isBeside = count('total_tokens') === prompt + completion + reasoning;
  const outputTokens = isBeside ? completion + reasoning : completion;
  return {
    inputTokens: Math.max(prompt - cached, 0),
    outputTokens,
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    reasoningTokens: Math.min(reasoning, outputTokens),
  };
}
