// The events of one Messages API stream → neutral events. Knows nothing of HTTP; every fault of shape has a name.

import type { StopReason } from '../protocol/activities.ts';
import type { JsonObject, JsonValue } from '../protocol/messages.ts';
import { NO_USAGE, type Usage } from '../protocol/run.ts';
import { badResponse, incomplete, isObject, stopReasonIn, tokenCount, tokenCountIn } from './answer-faults.ts';
import { BlockInProgress } from './anthropic-blocks.ts';
import type { ModelEvent } from './model-adapter.ts';

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  pause_turn: 'pause_turn',
  refusal: 'refusal',
  model_context_window_exceeded: 'context_overflow',
};

/** One answer while it arrives. Blocks may interleave; each piece goes to the block of its own index. */
export class AnswerInProgress {
  readonly #blocks = new Map<number, BlockInProgress>();
  #model: string;
  #usage: Usage = NO_USAGE;
  #rawStopReason: string | undefined;
  #stopDetails: string | undefined;
  #begun = false;

  /** `model` stands in where the answer does not name one. */
  constructor(model: string) {
    this.#model = model;
  }

  /**
   * What one event of the stream means.
   * Throws ModelError `bad_model_response`, `stream_incomplete` or `unknown_stop_reason`.
   */
  take(type: string, event: JsonObject): ModelEvent {
    switch (type) {
      case 'message_start':
        return this.#start(objectIn(event, 'message'));
      case 'content_block_start':
        return this.#startBlock(event);
      case 'content_block_delta':
        return this.#addDelta(this.#blockOf(event), objectIn(event, 'delta'));
      case 'content_block_stop':
        return endBlock(this.#blockOf(event));
      case 'message_delta':
        return this.#delta(objectIn(event, 'delta'), event);
      case 'message_stop':
        return this.#finish();
      default:
        return { type: 'alive' };
    }
  }

  #start(message: JsonObject): ModelEvent {
    const content = message['content'];
    if (content !== undefined && !Array.isArray(content)) throw badResponse('its content is no list');
    if (typeof message['model'] === 'string' && message['model'] !== '') this.#model = message['model'];
    this.#begun = true;
    return this.#addUsage(message['usage']);
  }

  #startBlock(event: JsonObject): ModelEvent {
    const index = indexOf(event);
    const start = objectIn(event, 'content_block');
    if (this.#blocks.has(index)) throw badResponse(`block ${index} begins twice`);
    if (typeof start['type'] !== 'string') throw badResponse(`block ${index} has no type`);
    if (start['type'] === 'tool_use') checkCall(start, index);
    this.#blocks.set(index, new BlockInProgress(start));
    return textEvent('text_delta', start['type'] === 'text' ? start['text'] : undefined) ?? { type: 'alive' };
  }

  #addDelta(block: BlockInProgress, delta: JsonObject): ModelEvent {
    block.add(delta);
    const said =
      delta['type'] === 'thinking_delta'
        ? textEvent('reasoning_delta', delta['thinking'])
        : textEvent('text_delta', delta['type'] === 'text_delta' ? delta['text'] : undefined);
    return said ?? { type: 'alive' };
  }

  #delta(delta: JsonObject, event: JsonObject): ModelEvent {
    if (typeof delta['stop_reason'] === 'string') this.#rawStopReason = delta['stop_reason'];
    this.#stopDetails = detailsText(delta['stop_details'] ?? event['stop_details']) ?? this.#stopDetails;
    return this.#addUsage(event['usage']);
  }

  /** The service counts from the beginning each time: a later number replaces an earlier one. */
  #addUsage(value: JsonValue | undefined): ModelEvent {
    if (!isObject(value)) return { type: 'alive' };
    const outputTokens = tokenCount(value['output_tokens']) ?? this.#usage.outputTokens;
    const thinking = tokenCountIn(value['output_tokens_details'], 'thinking_tokens') ?? this.#usage.reasoningTokens;
    this.#usage = {
      inputTokens: tokenCount(value['input_tokens']) ?? this.#usage.inputTokens,
      outputTokens,
      cacheReadTokens: tokenCount(value['cache_read_input_tokens']) ?? this.#usage.cacheReadTokens,
      cacheWriteTokens: tokenCount(value['cache_creation_input_tokens']) ?? this.#usage.cacheWriteTokens,
      reasoningTokens: Math.min(thinking, outputTokens),
    };
    return { type: 'usage', usage: this.#usage };
  }

  #finish(): ModelEvent {
    if (!this.#begun) throw badResponse('it ends before it begins');
    const rawStopReason = this.#rawStopReason;
    if (rawStopReason === undefined) throw incomplete('The answer ended without a stop reason.');
    return {
      type: 'finished',
      message: { role: 'assistant', content: this.#content() },
      stopReason: stopReasonIn(STOP_REASONS, rawStopReason),
      rawStopReason,
      stopDetails: this.#stopDetails,
      model: this.#model,
      usage: this.#usage,
    };
  }

  #content() {
    const inOrder = [...this.#blocks].sort(([a], [b]) => a - b);
    return inOrder.flatMap(([, block]) => block.toNeutral() ?? []);
  }

  #blockOf(event: JsonObject): BlockInProgress {
    const index = indexOf(event);
    const block = this.#blocks.get(index);
    if (block === undefined) throw badResponse(`block ${index} goes on before it begins`);
    return block;
  }
}

function endBlock(block: BlockInProgress): ModelEvent {
  const { type, name } = block.start;
  return type === 'tool_use' ? { type: 'tool_call', name: String(name) } : { type: 'alive' };
}

function checkCall(start: JsonObject, index: number): void {
  for (const field of ['id', 'name']) {
    const value = start[field];
    if (typeof value !== 'string' || value === '') throw badResponse(`the call in block ${index} has no ${field}`);
  }
}

function textEvent(type: 'text_delta' | 'reasoning_delta', text: JsonValue | undefined): ModelEvent | undefined {
  return typeof text === 'string' && text !== '' ? { type, text } : undefined;
}

function detailsText(details: JsonValue | undefined): string | undefined {
  if (!isObject(details)) return undefined;
  const parts = [details['category'], details['explanation']].filter((part) => typeof part === 'string' && part !== '');
  return parts.length > 0 ? parts.join(': ') : undefined;
}

function indexOf(event: JsonObject): number {
  const index = event['index'];
  if (typeof index !== 'number' || !Number.isInteger(index)) throw badResponse('a block has no index');
  return index;
}

function objectIn(event: JsonObject, field: string): JsonObject {
  const value = event[field];
  if (!isObject(value)) throw badResponse(`an event has no ${field}`);
  return value;
}
