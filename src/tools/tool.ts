import { DEFAULT_MAX_RESULT_BYTES, DEFAULT_TOOL_ATTEMPTS, DEFAULT_TOOL_TIMEOUT_MS } from '../protocol/limits.ts';
import type { JsonObject } from '../protocol/messages.ts';
import { EFFECTS, type Effect, type ToolSpec } from '../protocol/snapshot.ts';
import { DefinitionError, printed, textProblem, wholeNumberProblem } from './definition-error.ts';
import { compileInput, type InputCheck, type InputOf, type InputSchema } from './input-schema.ts';
import { MIN_RESULT_BYTES } from './shape-output.ts';
import { toWireName } from './wire-name.ts';

/** A handler's log. It goes to the worker's log with the run's and the call's ids. */
export interface ToolLog {
  debug(message: string, attributes?: Record<string, unknown>): void;
  info(message: string, attributes?: Record<string, unknown>): void;
  warn(message: string, attributes?: Record<string, unknown>): void;
  error(message: string, attributes?: Record<string, unknown>): void;
}

/** What a handler is told about the call that it answers, beside the input. */
export interface ToolCall {
  /** The same in every attempt of this call, and distinct from that of any other: give it to what must not act twice. */
  readonly idempotencyKey: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Aborts when the run is cancelled, the time is up or the worker stops. Must be heeded by anything slow. */
  readonly signal: AbortSignal;
  readonly log: ToolLog;
  /** Says that a long call is alive. Pawl beats by itself; only code that blocks the process needs this. */
  heartbeat(): void;
  readonly runId: string;
  readonly callId: string;
  readonly agent: string;
}

/** What {@link defineTool} takes. */
export interface ToolDefinition<S extends InputSchema> {
  /** Unique on a worker. Where it is no legal wire name, the model sees one made from it. */
  readonly name: string;
  /** Tells the model when and how to use the tool. */
  readonly description: string;
  /** A Zod 4 or Standard Schema of an object, or a JSON Schema of one. */
  readonly input: S;
  /** What happens when it runs twice: `read` nothing, `idempotent` the same as once, `once` it must not. */
  readonly effect: Effect;
  /** For one attempt. Default 30,000. */
  readonly timeoutMs?: number;
  /** Attempts when the handler fails, the first included. Default 3; always 1 where the effect is `once`. */
  readonly maxAttempts?: number;
  /** Cap of one result in bytes of JSON; the middle of a longer one is cut. Default 196,608. */
  readonly maxResultBytes?: number;
  /** Pure and under 200 ms: runs inside the workflow task, without a queue. `read` only. Default false. */
  readonly quick?: boolean;
  /**
   * The handler. Whatever it returns becomes text for the model; `content` and `image` give it blocks.
   * {@link ToolError} is for the model and final; anything else that it throws is tried again.
   */
  run(input: InputOf<S>, call: ToolCall): unknown;
}

/** A tool that is ready to be called. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input, as the model is told. */
  readonly inputSchema: JsonObject;
  readonly effect: Effect;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly maxResultBytes: number;
  readonly quick: boolean;
  /** Checks an input; never rejects. The value of a valid one is what `run` takes. */
  validate(input: JsonObject): Promise<InputCheck>;
  run(input: unknown, call: ToolCall): Promise<unknown>;
  /** The tool as the model is told of it. A registry may choose another name, to keep names distinct. */
  spec(): ToolSpec;
}

/** An error that the handler understands: its message goes to the model, and the call is not tried again. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** Makes a tool. Throws {@link DefinitionError} with all faults of the definition at once. */
export function defineTool<S extends InputSchema>(definition: ToolDefinition<S>): Tool {
  const { name, description, effect, quick = false } = definition;
  const policy = {
    timeoutMs: definition.timeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS,
    maxAttempts: definition.maxAttempts ?? (effect === 'once' ? 1 : DEFAULT_TOOL_ATTEMPTS),
    maxResultBytes: definition.maxResultBytes ?? DEFAULT_MAX_RESULT_BYTES,
  };
  const input = compileInput(definition.input);
  const problems = problemsOf({ ...definition, ...policy, quick });
  if (typeof input === 'string') problems.push(input);
  if (typeof input === 'string' || problems.length > 0) {
    throw new DefinitionError(`tool ${printed(name)}`, problems, defineTool);
  }
  const { inputSchema, validate } = input;
  return {
    name,
    description,
    inputSchema,
    effect,
    ...policy,
    quick,
    validate,
    // The one cast: `validate` gave this value, and it is typed by the same schema.
    run: async (value, call) => definition.run(value as InputOf<S>, call),
    spec: () => ({ name: toWireName(name), description, input_schema: inputSchema }),
  };
}

type Checked = Omit<ToolDefinition<InputSchema>, 'run' | 'input'> & { readonly run: unknown };

function problemsOf(definition: Checked): string[] {
  const { effect, quick, maxAttempts, run } = definition;
  const problems = [
    textProblem('name', definition.name),
    textProblem('description', definition.description),
    EFFECTS.includes(effect) ? undefined : `effect must be one of ${EFFECTS.join(', ')}, not ${printed(effect)}`,
    wholeNumberProblem('timeoutMs', definition.timeoutMs),
    wholeNumberProblem('maxAttempts', maxAttempts),
    wholeNumberProblem('maxResultBytes', definition.maxResultBytes, MIN_RESULT_BYTES),
    typeof quick === 'boolean' ? undefined : `quick must be true or false, not ${printed(quick)}`,
    typeof run === 'function' ? undefined : `run must be a function, not ${printed(run)}`,
  ];
  if (effect === 'once' && Number(maxAttempts) > 1) {
    problems.push(`maxAttempts must be 1 where effect is "once", not ${printed(maxAttempts)}`);
  }
  if (quick === true && effect !== 'read') problems.push(`quick needs effect "read", not ${printed(effect)}`);
  return problems.filter((problem) => problem !== undefined);
}
