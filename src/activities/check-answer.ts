import { ModelError } from '../adapters/model-adapter.ts';
import { STOP_REASONS } from '../protocol/activities.ts';
import type { AssistantBlock } from '../protocol/messages.ts';
import type { Usage } from '../protocol/run.ts';
import type { Finished } from './read-stream.ts';

/** Throws a retryable `bad_model_response` for an answer that is not of the shape which the rest of the run relies on. */
export function checkAnswer(answer: Finished): void {
  const problem = answerProblem(answer);
  if (problem)
    throw new ModelError('bad_model_response', `the model's answer is not valid: ${problem}`, { retryable: true });
}

function answerProblem({ message, stopReason, usage }: Finished): string | undefined {
  if (message?.role !== 'assistant' || !Array.isArray(message.content)) return 'it is no assistant message';
  if (!STOP_REASONS.includes(stopReason)) return `unknown stop reason ${JSON.stringify(stopReason)}`;
  if (!isUsage(usage)) return 'its usage is not made of whole numbers';
  for (const [index, block] of message.content.entries()) {
    const problem = blockProblem(block);
    if (problem) return `content[${index}] ${problem}`;
  }
  return undefined;
}

function isUsage(usage: Usage | undefined): boolean {
  if (!usage) return false;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  const counts = [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens];
  return counts.every((n) => Number.isSafeInteger(n) && n >= 0);
}

function blockProblem(block: AssistantBlock): string | undefined {
  switch (block?.type) {
    case 'text':
      return typeof block.text === 'string' ? undefined : 'has no text';
    case 'call':
      if (typeof block.callId !== 'string') return 'has no call id';
      if (typeof block.name !== 'string' || block.name === '') return 'names no tool';
      return isObject(block.input) ? undefined : 'has an input that is no JSON object';
    case 'image':
    case 'document':
      return block.mediaType && block.data ? undefined : 'has no data';
    case 'opaque':
      return block.provider ? undefined : 'names no provider';
    default:
      return `is of the unknown type ${JSON.stringify((block as { type?: unknown } | undefined)?.type)}`;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
