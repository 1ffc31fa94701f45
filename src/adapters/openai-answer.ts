// The events of one Responses API stream → neutral events. Items may interleave; each piece goes to its own item.

import type { StopReason } from '../protocol/activities.ts';
import type { JsonObject, JsonValue } from '../protocol/messages.ts';
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
import type { ModelEvent } from './model-adapter.ts';
import { ItemInProgress, itemToNeutral, refusalIn } from './openai-items.ts';
import type { AnswerReader, WireEvent } from './stream-answer.ts';

const INCOMPLETE_REASONS: Readonly<Record<string, StopReason>> = {
  max_output_tokens: 'max_tokens',
  content_filter: 'content_filter',
};
const ALIVE: readonly ModelEvent[] = [{ type: 'alive' }];

/** One answer while it arrives. */
export class ResponseInProgress implements AnswerReader {
  readonly #items = new Map<number, ItemInProgress>();
  readonly #model: string;

  /** `model` stands in where the answer does not name one. */
  constructor(model: string) {
    this.#model = model;
  }

  /** Throws ModelError `bad_model_response` or `unknown_stop_reason`. */
  take({ type, data }: WireEvent): readonly ModelEvent[] {
    switch (type) {
      case 'response.output_item.added':
        this.#items.set(numberIn(data, 'output_index'), new ItemInProgress(objectIn(data, 'item')));
        return ALIVE;
      case 'response.output_text.delta':
        return this.#addText(data);
      case 'response.refusal.delta':
        this.#itemOf(data).addRefusal(partOf(data), deltaOf(data));
        return ALIVE;
      case 'response.function_call_arguments.delta':
        this.#itemOf(data).addArguments(deltaOf(data));
        return ALIVE;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return said('reasoning_delta', deltaOf(data));
      case 'response.output_item.done':
        return this.#endItem(numberIn(data, 'output_index'), objectIn(data, 'item'));
      case 'response.completed':
      case 'response.incomplete':
        return this.#finish(objectIn(data, 'response'));
      default:
        return ALIVE;
    }
  }

  /** The stream's end is no end of the answer: that has an event of its own. */
  end(): ModelEvent {
    throw incomplete('The answer broke off before its end.');
  }

  #addText(data: JsonObject): readonly ModelEvent[] {
    const text = deltaOf(data);
    this.#itemOf(data).addText(partOf(data), text);
    return said('text_delta', text);
  }

  /** The item as the service repeats it, whole; where it does not, its pieces count. */
  #endItem(index: number, item: JsonObject): readonly ModelEvent[] {
    const begun = this.#items.get(index) ?? new ItemInProgress(item);
    this.#items.set(index, begun);
    begun.end(item);
    return item['type'] === 'function_call' ? [{ type: 'tool_call', name: String(item['name']) }] : ALIVE;
  }

  #finish(response: JsonObject): readonly ModelEvent[] {
    const items = this.#wholeItems(response);
    const content = items.flatMap(itemToNeutral);
    const refusal = items.map(refusalIn).find((text) => text !== undefined);
    const usage = usageOf(response['usage']);
    const rawStopReason = rawReason(response);
    const finished: ModelEvent = {
      type: 'finished',
      message: { role: 'assistant', content },
      stopReason: stopReasonOf(response, refusal, content.some(isCall)),
      rawStopReason,
      stopDetails: refusal,
      model: nonEmptyText(response['model']) ?? this.#model,
      usage: usage ?? NO_USAGE,
    };
    return usage === undefined ? [finished] : [{ type: 'usage', usage }, finished];
  }

  #wholeItems(response: JsonObject): readonly JsonObject[] {
    const listed = response['output'];
    if (this.#items.size === 0 && Array.isArray(listed)) return listed.filter(isObject);
    const inOrder = [...this.#items].sort(([a], [b]) => a - b);
    return inOrder.map(([, item]) => item.whole());
  }

  #itemOf(data: JsonObject): ItemInProgress {
    const index = numberIn(data, 'output_index');
    const item = this.#items.get(index);
    if (item === undefined) throw badResponse(`item ${index} goes on before it begins`);
    return item;
  }
}

function isCall({ type }: { readonly type: string }): boolean {
  return type === 'call';
}

function stopReasonOf(response: JsonObject, refusal: string | undefined, calls: boolean): StopReason {
  const raw = rawReason(response);
  if (raw !== 'completed') return stopReasonIn(INCOMPLETE_REASONS, raw);
  if (refusal !== undefined) return 'refusal';
  return calls ? 'tool_use' : 'end_turn';
}

function rawReason(response: JsonObject): string {
  const status = nonEmptyText(response['status']);
  if (status === undefined) throw badResponse('its end has no status');
  const details = response['incomplete_details'];
  return (isObject(details) ? nonEmptyText(details['reason']) : undefined) ?? status;
}

/** The service counts cached tokens among the input, and reasoning among the output. */
function usageOf(value: JsonValue | undefined): Usage | undefined {
  if (!isObject(value)) return undefined;
  const cacheReadTokens = tokenCountIn(value['input_tokens_details'], 'cached_tokens') ?? 0;
  const cacheWriteTokens = tokenCountIn(value['input_tokens_details'], 'cache_write_tokens') ?? 0;
  const input = tokenCount(value['input_tokens']) ?? 0;
  const outputTokens = tokenCount(value['output_tokens']) ?? 0;
  const reasoning = tokenCountIn(value['output_tokens_details'], 'reasoning_tokens') ?? 0;
  return {
    inputTokens: Math.max(input - cacheReadTokens - cacheWriteTokens, 0),
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: Math.min(reasoning, outputTokens),
  };
}

function said(type: 'text_delta' | 'reasoning_delta', text: string): readonly ModelEvent[] {
  return text === '' ? ALIVE : [{ type, text }];
}

function deltaOf(data: JsonObject): string {
  return typeof data['delta'] === 'string' ? data['delta'] : '';
}

function partOf(data: JsonObject): number {
  return typeof data['content_index'] === 'number' ? data['content_index'] : 0;
}

function objectIn(data: JsonObject, field: string): JsonObject {
  const value = data[field];
  if (!isObject(value)) throw badResponse(`an event has no ${field}`);
  return value;
}

function numberIn(data: JsonObject, field: string): number {
  const value = data[field];
  if (typeof value !== 'number') throw badResponse(`an event has no ${field}`);
  return value;
}
