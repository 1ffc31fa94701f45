// The chunks of one Gemini stream → neutral events. A chunk is a piece of a candidate; its parts are whole or text.

import type { StopReason } from '../protocol/activities.ts';
import type { JsonObject, JsonValue } from '../protocol/messages.ts';
import { NO_USAGE, type Usage } from '../protocol/run.ts';
import { badResponse, incomplete, isObject, nonEmptyText, stopReasonIn, tokenCount } from './answer-faults.ts';
import { PartsInProgress } from './google-parts.ts';
import type { ModelEvent } from './model-adapter.ts';
import type { AnswerReader, WireEvent } from './stream-answer.ts';

const FINISH_REASONS: Readonly<Record<string, StopReason>> = {
  STOP: 'end_turn',
  MAX_TOKENS: 'max_tokens',
  MALFORMED_FUNCTION_CALL: 'malformed_call',
  UNEXPECTED_TOOL_CALL: 'malformed_call',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
};
/** The model wrote a call that the service cannot read, or that no tool was offered for: nothing of it may be run. */
const MALFORMED_CALLS: ReadonlySet<string> = new Set(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL']);

/** One answer while it arrives. */
export class GeminiInProgress implements AnswerReader {
  readonly #parts = new PartsInProgress();
  #model: string;
  #usage: Usage = NO_USAGE;
  #finishReason: string | undefined;
  #details: string | undefined;

  /** `model` stands in where the answer does not name one. */
  constructor(model: string) {
    this.#model = model;
  }

  /** Throws ModelError `bad_model_response`. */
  take({ data }: WireEvent): readonly ModelEvent[] {
    this.#model = nonEmptyText(data['modelVersion']) ?? this.#model;
    const events = [...this.#addCandidate(data), ...this.#addUsage(data['usageMetadata'])];
    this.#notePromptBlock(data['promptFeedback']);
    return events.length > 0 ? events : [{ type: 'alive' }];
  }

  /**
   * The stream's end is the answer's, where a finish reason came before it.
   * Throws ModelError `stream_incomplete`, `bad_model_response` or `unknown_stop_reason`.
   */
  end(): ModelEvent {
    const rawStopReason = this.#finishReason;
    if (rawStopReason === undefined) throw incomplete('The answer ended without a finish reason.');
    const isMalformed = MALFORMED_CALLS.has(rawStopReason);
    const content = this.#parts.toNeutral().filter(({ type }) => !isMalformed || type === 'text');
    return {
      type: 'finished',
      message: { role: 'assistant', content },
      stopReason: stopReasonOf(rawStopReason, content),
      rawStopReason,
      stopDetails: this.#details,
      model: this.#model,
      usage: this.#usage,
    };
  }

  #addCandidate(data: JsonObject): readonly ModelEvent[] {
    const candidates = data['candidates'];
    const candidate = Array.isArray(candidates) ? candidates.find(isObject) : undefined;
    if (candidate === undefined) return [];
    this.#finishReason = nonEmptyText(candidate['finishReason']) ?? this.#finishReason;
    this.#details = nonEmptyText(candidate['finishMessage']) ?? this.#details;
    const content = candidate['content'];
    const parts = isObject(content) ? (content['parts'] ?? []) : [];
    if (!Array.isArray(parts) || !parts.every(isObject)) throw badResponse('its parts are no list of objects');
    return parts.flatMap((part) => this.#parts.add(part));
  }

  /** A prompt that was blocked has no candidate at all. */
  #notePromptBlock(feedback: JsonValue | undefined): void {
    const reason = isObject(feedback) ? nonEmptyText(feedback['blockReason']) : undefined;
    if (reason === undefined) return;
    this.#finishReason ??= 'PROHIBITED_CONTENT';
    this.#details ??= `prompt blocked: ${reason}`;
  }

  #addUsage(value: JsonValue | undefined): readonly ModelEvent[] {
    if (!isObject(value)) return [];
    this.#usage = usageOf(value);
    return [{ type: 'usage', usage: this.#usage }];
  }
}

function stopReasonOf(raw: string, content: readonly { readonly type: string }[]): StopReason {
  const reason = stopReasonIn(FINISH_REASONS, raw);
  return reason === 'end_turn' && content.some(({ type }) => type === 'call') ? 'tool_use' : reason;
}

/** The service counts cached tokens among the prompt's, and thoughts beside the candidate's. */
function usageOf(value: JsonObject): Usage {
  const count = (field: string) => tokenCount(value[field]) ?? 0;
  const cacheReadTokens = count('cachedContentTokenCount');
  return {
    inputTokens: Math.max(count('promptTokenCount') - cacheReadTokens, 0) + count('toolUsePromptTokenCount'),
    outputTokens: count('candidatesTokenCount') + count('thoughtsTokenCount'),
    cacheReadTokens,
    cacheWriteTokens: 0,
    reasoningTokens: count('thoughtsTokenCount'),
  };
}
