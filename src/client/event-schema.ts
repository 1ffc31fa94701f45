import { z } from 'zod';
import { STOP_REASONS } from '../protocol/activities.ts';
import type { JsonValue } from '../protocol/messages.ts';
import { OUTCOMES, REASONS, STATUSES } from '../protocol/run.ts';

const jsonValue: z.ZodType<JsonValue> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(jsonValue).readonly(), jsonObject]),
);
const jsonObject = z.record(z.string(), jsonValue);

const count = z.int().nonnegative();
const meta = z.record(z.string(), jsonValue).optional();
const content = z
  .array(
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text'), text: z.string(), meta }),
      z.strictObject({ type: z.literal('image'), mediaType: z.string(), data: z.string(), meta }),
      z.strictObject({
        type: z.literal('document'),
        mediaType: z.string(),
        data: z.string(),
        title: z.string().optional(),
        meta,
      }),
    ]),
  )
  .readonly();
const prompt = z.union([z.string(), content]);

const usage = z.strictObject({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  reasoningTokens: count,
});
const costUsdMicros = z.number().nullable();
const outcome = z.enum(OUTCOMES);
const status = z.enum(STATUSES);
const reason = z.enum(REASONS).optional();
const call = { callId: z.string(), name: z.string(), input: jsonObject };
const lastState = z.strictObject({
  text: z.string(),
  lastCalls: z.array(z.strictObject({ name: z.string(), outcome, detail: z.string().optional() })).readonly(),
});
const result = z.strictObject({
  status,
  reason,
  text: z.string(),
  output: jsonValue.optional(),
  iterations: count,
  usage,
  costUsdMicros,
  costUnknown: z.string().optional(),
  lastState,
  emptyAnswer: z.boolean().optional(),
  turns: count,
  transcript: z.strictObject({ length: count, digest: z.string() }),
});

const base = {
  cursor: z.string().regex(/^\d+\.\d+\.\d+$/),
  at: z.iso.datetime(),
  run: z.string(),
  turn: count,
  iteration: count.optional(),
};

/** What every event of a run fits, as a Zod schema; strict, so that a field that it does not know is a fault. */
export const runEventSchema = z.discriminatedUnion('type', [
  z.strictObject({
    ...base,
    type: z.literal('run_started'),
    agent: z.string(),
    model: z.string(),
    prompt: prompt.optional(),
  }),
  z.strictObject({ ...base, type: z.literal('turn_started') }),
  z.strictObject({
    ...base,
    type: z.literal('agent_changed'),
    model: z.string(),
    changed: z.array(z.string()).readonly(),
  }),
  z.strictObject({ ...base, type: z.literal('iteration_started') }),
  z.strictObject({
    ...base,
    type: z.literal('model_result'),
    stopReason: z.enum(STOP_REASONS),
    rawStopReason: z.string(),
    model: z.string(),
    attempts: count,
    usage,
    costUsdMicros,
    calls: z.array(z.strictObject(call)).readonly(),
  }),
  z.strictObject({ ...base, type: z.literal('assistant_text'), text: z.string() }),
  z.strictObject({ ...base, type: z.literal('tool_call'), ...call }),
  z.strictObject({
    ...base,
    type: z.literal('tool_result'),
    callId: z.string(),
    name: z.string(),
    outcome,
    isError: z.boolean(),
    output: content,
    attempts: count,
    durationMs: z.number().nonnegative(),
  }),
  z.strictObject({ ...base, type: z.literal('user_message'), prompt, requestId: z.string() }),
  z.strictObject({
    ...base,
    type: z.literal('model_fallback'),
    from: z.string(),
    to: z.string(),
    reason: z.enum(REASONS),
  }),
  z.strictObject({
    ...base,
    type: z.literal('compacted'),
    context: count,
    summarized: count,
    kept: count,
    summary: z.string(),
    model: z.string(),
    attempts: count,
    usage,
    costUsdMicros,
  }),
  z.strictObject({ ...base, type: z.literal('compaction_failed'), reason: z.enum(REASONS), text: z.string() }),
  z.strictObject({
    ...base,
    type: z.literal('limit_reached'),
    limit: z.enum(['maxIterations', 'maxCallsPerIteration', 'maxTotalTokens', 'maxCostUsdMicros', 'maxDurationMs']),
    value: z.number(),
    spent: z.number(),
    lastState,
  }),
  z.strictObject({
    ...base,
    type: z.literal('usage'),
    usage: z.strictObject({ turn: usage, total: usage }),
    costUsdMicros: z.strictObject({ turn: costUsdMicros, total: costUsdMicros }),
  }),
  z.strictObject({ ...base, type: z.literal('final_text'), text: z.string() }),
  z.strictObject({
    ...base,
    type: z.literal('turn_finished'),
    status,
    reason,
    iterations: count,
    emptyAnswer: z.boolean().optional(),
    queued: count,
  }),
  z.strictObject({ ...base, type: z.literal('run_continued'), link: count }),
  z.strictObject({ ...base, type: z.literal('run_finished'), result }),
  z.strictObject({ ...base, type: z.literal('history_expired'), links: z.array(count).readonly() }),
]);

/** The same as JSON Schema, for readers of `--json` lines in any language. */
export const runEventJsonSchema = z.toJSONSchema(runEventSchema);
