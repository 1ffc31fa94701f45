import {
  DEFAULT_CONTINUE_AS_NEW_AFTER_EVENTS,
  DEFAULT_HEARTBEAT_TIMEOUT_MS,
  DEFAULT_MAX_CALLS_PER_ITERATION,
  DEFAULT_MAX_ITERATIONS,
  DEFAULT_MAX_OUTPUT_TOKENS,
  DEFAULT_MODEL_ATTEMPTS,
  DEFAULT_STREAM_IDLE_MS,
  LOOP_STOP_AT,
  LOOP_WARN_AT,
} from '../protocol/limits.ts';
import type { JsonObject } from '../protocol/messages.ts';
import { LIMIT_NAMES, type Limits } from '../protocol/run.ts';
import type { Compaction, LoopGuard, ResolvedLimits } from '../protocol/snapshot.ts';
import { DefinitionError, printed, textProblem, wholeNumberProblem } from '../tools/definition-error.ts';
import { type CompiledInput, compileInput, type InputSchema } from '../tools/input-schema.ts';
import { createRegistry } from '../tools/registry.ts';
import type { Tool } from '../tools/tool.ts';

/** What {@link defineAgent} takes. */
export interface AgentDefinition {
  /** Unique on a worker; a run is asked for by it. */
  readonly name: string;
  /** The system prompt. May be empty. */
  readonly instructions: string;
  /** `provider/model`, or a model name with a known prefix. A run may ask for another one. Give this or `models`. */
  readonly model?: string;
  /** Models in the order in which they are asked: the next one when one is used up or down. */
  readonly models?: readonly string[];
  /** What the answer must be: a Zod 4 or Standard Schema of an object, or a JSON Schema of one. Default: a text. */
  readonly output?: InputSchema;
  /** Default none. */
  readonly tools?: readonly Tool[];
  /** Budgets; those with a default are filled in. */
  readonly limits?: Limits;
  /** Of one model call. Default 8,192. */
  readonly maxOutputTokens?: number;
  /** Attempts of one model call, the first included. Default 5. */
  readonly modelAttempts?: number;
  /** Silence in the model's stream after which an attempt is given up. Default 60,000. */
  readonly streamIdleTimeoutMs?: number;
  /** Time without a sign of life after which an attempt counts as lost. Default 30,000. */
  readonly heartbeatTimeoutMs?: number;
  /** Events of one link's history after which the run goes on in a new link. Default 4,000. */
  readonly continueAsNewAfterEvents?: number;
  /** Consecutive iterations with the same calls: warned at 3, stopped at 5 by default. */
  readonly loopGuard?: Partial<LoopGuard>;
  /** Sent to the provider as they are: thinking settings, sampling. */
  readonly modelOptions?: JsonObject;
  /** Server-side tools of the provider, sent as they are. */
  readonly providerTools?: readonly JsonObject[];
  /**
   * Lets the provider hold the conversation for some minutes, so that a model call sends only what is new. Default false.
   * A beta of Anthropic's Messages API ("message threads"); other providers are sent the whole conversation, as always.
   */
  readonly providerThread?: boolean;
  /**
   * Puts older messages into a summary when the context comes near `contextWindowTokens`, the size of the model's window,
   * or when the model says that it is too long. `model` writes the summary; default: the one that the turn asks. Default:
   * nothing is summarised, and a context that is too long fails the turn with `context_overflow`.
   */
  readonly compaction?: Compaction;
}

/** An agent that a worker can serve: its definition with all defaults filled in. */
export interface Agent {
  readonly name: string;
  readonly instructions: string;
  readonly model: string;
  /** Asked in turn where `model` can't answer. */
  readonly fallbackModels: readonly string[];
  /** JSON Schema of the answer. */
  readonly output?: JsonObject;
  /** The whole check of the answer: a schema of Zod may ask for what no JSON Schema can say, such as refinements. */
  readonly checkOutput?: CompiledInput['validate'];
  readonly tools: readonly Tool[];
  readonly limits: ResolvedLimits;
  readonly maxOutputTokens: number;
  readonly modelAttempts: number;
  readonly streamIdleTimeoutMs: number;
  readonly heartbeatTimeoutMs: number;
  readonly continueAsNewAfterEvents: number;
  readonly loopGuard: LoopGuard;
  readonly modelOptions?: JsonObject;
  readonly providerTools?: readonly JsonObject[];
  readonly providerThread?: boolean;
  readonly compaction?: Compaction;
}

/** Makes an agent. Throws {@link DefinitionError} with all faults of the definition at once. */
export function defineAgent(definition: AgentDefinition): Agent {
  const { models, output: schema, ...given } = definition;
  const output = schema === undefined ? undefined : compileInput(schema);
  const [model = '', ...fallbackModels] = models ?? [definition.model ?? ''];
  const agent: Agent = {
    ...given,
    model,
    fallbackModels,
    ...(typeof output === 'object' && { output: output.inputSchema, checkOutput: output.validate }),
    tools: definition.tools ?? [],
    limits: {
      maxIterations: DEFAULT_MAX_ITERATIONS,
      maxCallsPerIteration: DEFAULT_MAX_CALLS_PER_ITERATION,
      ...withoutUndefined(definition.limits),
    },
    maxOutputTokens: definition.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS,
    modelAttempts: definition.modelAttempts ?? DEFAULT_MODEL_ATTEMPTS,
    streamIdleTimeoutMs: definition.streamIdleTimeoutMs ?? DEFAULT_STREAM_IDLE_MS,
    heartbeatTimeoutMs: definition.heartbeatTimeoutMs ?? DEFAULT_HEARTBEAT_TIMEOUT_MS,
    continueAsNewAfterEvents: definition.continueAsNewAfterEvents ?? DEFAULT_CONTINUE_AS_NEW_AFTER_EVENTS,
    loopGuard: { warnAt: LOOP_WARN_AT, stopAt: LOOP_STOP_AT, ...withoutUndefined(definition.loopGuard) },
  };
  const problems = problemsOf(
    agent,
    definition,
    typeof output === 'string' ? [output.replace(/^input/, 'output')] : [],
  );
  if (problems.length > 0) throw new DefinitionError(`agent ${printed(agent.name)}`, problems, defineAgent);
  return agent;
}

function modelProblems({ model, models }: AgentDefinition): string[] {
  if (models === undefined) return [textProblem('model', model)].filter((problem) => problem !== undefined);
  if (model !== undefined) return ['model and models are both given; give one of them'];
  if (!Array.isArray(models) || models.length === 0) return ['models must be a list with at least one model'];
  const each = models.map((name, index) => textProblem(`models[${index}]`, name));
  return each.filter((problem) => problem !== undefined);
}

function problemsOf(agent: Agent, definition: AgentDefinition, outputProblems: readonly string[]): string[] {
  const { maxOutputTokens, modelAttempts, streamIdleTimeoutMs, heartbeatTimeoutMs, continueAsNewAfterEvents } = agent;
  const numbers = { maxOutputTokens, modelAttempts, streamIdleTimeoutMs, heartbeatTimeoutMs, continueAsNewAfterEvents };
  const problems = [
    textProblem('name', agent.name),
    ...modelProblems(definition),
    ...outputProblems,
    typeof agent.instructions === 'string'
      ? undefined
      : `instructions must be a text, not ${printed(agent.instructions)}`,
    ...Object.entries(numbers).map(([field, value]) => wholeNumberProblem(field, value)),
    ...limitProblems(agent.limits),
    ...loopGuardProblems(agent.loopGuard),
    ...compactionProblems(agent.compaction),
    ...toolProblems(agent.tools),
  ];
  return problems.filter((problem) => problem !== undefined);
}

function limitProblems(limits: Limits): (string | undefined)[] {
  return Object.entries(limits).map(([name, value]) => {
    if (LIMIT_NAMES.includes(name)) return wholeNumberProblem(`limits.${name}`, value);
    return `limits.${name} is no limit; there are ${LIMIT_NAMES.join(', ')}`;
  });
}

function loopGuardProblems({ warnAt, stopAt }: LoopGuard): (string | undefined)[] {
  const order = stopAt < warnAt ? `loopGuard.stopAt (${stopAt}) must not be less than warnAt (${warnAt})` : undefined;
  return [wholeNumberProblem('loopGuard.warnAt', warnAt, 2), wholeNumberProblem('loopGuard.stopAt', stopAt, 2), order];
}

/** Room for the instructions and one answer; every model has more. */
const MIN_WINDOW_TOKENS = 1_000;

function compactionProblems(compaction: Compaction | undefined): (string | undefined)[] {
  if (compaction === undefined) return [];
  const { contextWindowTokens, model } = Object(compaction) as Partial<Compaction>;
  return [
    wholeNumberProblem('compaction.contextWindowTokens', contextWindowTokens, MIN_WINDOW_TOKENS),
    model === undefined ? undefined : textProblem('compaction.model', model),
  ];
}

function toolProblems(tools: readonly Tool[]): readonly string[] {
  const strangers = tools.filter((tool) => typeof tool?.spec !== 'function');
  if (strangers.length > 0) return strangers.map((tool) => `tools must be made with defineTool, not ${printed(tool)}`);
  try {
    createRegistry(tools);
    return [];
  } catch (error) {
    if (error instanceof DefinitionError) return error.problems;
    throw error;
  }
}

// An option that is spelled out as undefined means its default.
function withoutUndefined<T extends object>(options: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>;
}
