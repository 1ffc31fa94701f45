import type { Models } from '../adapters/by-name.ts';
import { type ModelAdapter, ModelError } from '../adapters/model-adapter.ts';
import type { Agent } from '../agents/agent.ts';
import type { CallModelInput, CallModelResult, StopReason } from '../protocol/activities.ts';
import { jsonBytes } from '../protocol/json.ts';
import { type AssistantMessage, callsOf, type JsonObject, type Message } from '../protocol/messages.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import { callIdsOf, withDistinctIds } from './call-ids.ts';
import { checkAnswer } from './check-answer.ts';
import { type CachedContext, type ContextCache, extendContext } from './context-cache.ts';
import { deadlineOf } from './endings.ts';
import type { HookPlace } from './hooks.ts';
import { judgeCalls } from './judge-calls.ts';
import { judgeByAgent, judgeOutput, type OutputVerdict } from './judge-output.ts';
import { loadContext } from './load-context.ts';
import { inModelActivity, type ModelActivity } from './model-activity.ts';
import type { Observe } from './observe.ts';
import type { CostOf } from './prices.ts';
import { type Finished, readStream } from './read-stream.ts';

export interface CallModelDeps {
  readonly agents: readonly Agent[];
  readonly models: Models;
  readonly registry: ToolRegistry;
  readonly cache: ContextCache;
  readonly observe: Observe;
  readonly maxPayloadBytes: number;
  readonly costOf: CostOf;
}

/** One attempt to get the model's answer to a context. Retries are Temporal's; failures carry the reason in their type. */
export function createCallModel(deps: CallModelDeps): (input: CallModelInput) => Promise<CallModelResult> {
  return (input) => inModelActivity(deps.observe, input, (activity) => answer(deps, input, activity));
}

async function answer(deps: CallModelDeps, input: CallModelInput, call: ModelActivity): Promise<CallModelResult> {
  const { adapter, provider, model } = await deps.models.find(input.model);
  const base = await loadContext(deps.cache, input.base);
  const asked = extendContext(base, input.append);
  deps.observe('onModelCall', { ...call.place, model: input.model, messages: asked.messages.length });
  const finished = await stream(deps, input, { ...call, adapter, model, asked });
  checkAnswer(finished);
  const message = keptMessage(finished, asked.messages, input);
  const next = extendContext(asked, message ? [message] : []);
  const verdicts = await judgeCalls({ message, stopReason: finished.stopReason }, asked.head, deps.registry);
  const result: CallModelResult = {
    message,
    stopReason: finished.stopReason,
    rawStopReason: finished.rawStopReason,
    stopDetails: finished.stopDetails,
    model: finished.model,
    attempt: call.place.attempt,
    usage: finished.usage,
    ...(await deps.costOf(provider, model, finished.usage)),
    ...(await verdictOn(deps, input.agent, { schema: asked.head.output, message, stopReason: finished.stopReason })),
    digest: next.digest,
    contextTokens: Math.max(next.tokens, countedTokens(finished, asked, next)),
    verdicts,
  };
  checkSize(result, deps.maxPayloadBytes);
  deps.cache.advance(base, next);
  tell(deps.observe, call.place, result);
  return result;
}

interface Streaming extends ModelActivity {
  readonly adapter: ModelAdapter;
  readonly model: string;
  readonly asked: CachedContext;
}

function stream(deps: CallModelDeps, input: CallModelInput, streaming: Streaming): Promise<Finished> {
  const { adapter, model, asked, context, place, live } = streaming;
  return readStream({
    adapter,
    request: {
      model,
      instructions: asked.head.instructions,
      tools: asked.head.tools,
      messages: asked.messages,
      maxOutputTokens: input.maxOutputTokens,
      output: asked.head.output,
      modelOptions: input.modelOptions,
      providerTools: input.providerTools,
      providerThread: input.providerThread,
    },
    signal: context.cancellationSignal,
    idleMs: input.streamIdleTimeoutMs,
    deadlineMs: deadlineOf(context),
    onText: (text) => {
      live.add(text);
      deps.observe('onTextDelta', { ...place, text });
    },
  });
}

interface Judged {
  readonly schema: JsonObject | undefined;
  readonly message: AssistantMessage | null;
  readonly stopReason: StopReason;
}

function verdictOn(
  { agents }: CallModelDeps,
  agent: string,
  { schema, message, stopReason }: Judged,
): Promise<OutputVerdict> {
  const here = agents.find(({ name }) => name === agent);
  return judgeByAgent(judgeOutput(schema, message, stopReason), schema, here);
}

/** The context as the provider has counted it, and an estimate of what the answer adds: reasoning does not stay in it. */
function countedTokens({ usage }: Finished, asked: CachedContext, next: CachedContext): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + next.tokens - asked.tokens;
}

/** What may stay in the transcript: distinct ids, no blank text (providers refuse it), and nothing of a refusal. */
function keptMessage(finished: Finished, before: readonly Message[], input: CallModelInput): AssistantMessage | null {
  if (finished.stopReason === 'refusal') return null;
  const blocks = finished.message.content.filter((block) => block.type !== 'text' || block.text.trim() !== '');
  if (blocks.length === 0) return null;
  const content = withDistinctIds(blocks, callIdsOf(before), input);
  // What the provider knows the answer by holds only for the ids that it gave.
  const meta = content.every((block, index) => block === blocks[index]) ? finished.message.meta : undefined;
  // As the workflow will see it, so that both hash and send the same.
  return JSON.parse(JSON.stringify({ role: 'assistant', content, meta }));
}

/** A result that the server would not take fails here, since the SDK would pay for the same answer again and again. */
function checkSize(result: CallModelResult, maxBytes: number): void {
  const bytes = jsonBytes(result);
  if (bytes <= maxBytes) return;
  const message = `the model's answer has ${bytes} bytes; the server takes ${maxBytes}`;
  throw new ModelError('too_large', message, { retryable: false });
}

/** The answer, and the calls that it already answers itself. */
function tell(observe: Observe, place: HookPlace, result: CallModelResult): void {
  observe('onModelResult', { ...place, result });
  const calls = result.message ? callsOf(result.message) : [];
  for (const [index, { callId, name }] of calls.entries()) {
    const verdict = result.verdicts[index];
    if (!verdict || verdict.status === 'ok') continue;
    observe('onToolResult', {
      ...place,
      callId,
      name,
      outcome: 'failed',
      content: [{ type: 'text', text: verdict.text }],
    });
  }
}
