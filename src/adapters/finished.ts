import type { AssistantBlock } from '../protocol/messages.ts';
import { NO_USAGE, type Usage } from '../protocol/run.ts';
import type { ModelEvent } from './model-adapter.ts';

/** What a model has said, whole. */
export interface WholeAnswer {
  readonly model: string;
  /** A text, or the blocks in the model's order. */
  readonly content: string | readonly AssistantBlock[];
  /** Default: none was counted. */
  readonly usage?: Usage;
}

/** The last event of an answer that the model itself ended: the turn is over, or waits for the results of its calls. */
export function finished({ model, content, usage = NO_USAGE }: WholeAnswer): ModelEvent {
  const blocks = typeof content === 'string' ? textBlocks(content) : content;
  const stopReason = blocks.some(({ type }) => type === 'call') ? 'tool_use' : 'end_turn';
  const message = { role: 'assistant', content: blocks } as const;
  return { type: 'finished', message, stopReason, rawStopReason: stopReason, model, usage };
}

function textBlocks(text: string): readonly AssistantBlock[] {
  return text === '' ? [] : [{ type: 'text', text }];
}
