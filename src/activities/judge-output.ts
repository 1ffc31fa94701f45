import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { Agent } from '../agents/agent.ts';
import type { StopReason } from '../protocol/activities.ts';
import type { AssistantMessage, JsonObject, JsonValue } from '../protocol/messages.ts';
import { textOf } from '../protocol/messages.ts';
import { createJsonSchemaCheck, faultText } from '../tools/json-schema.ts';

/** Faults that one message tells; the model mends these first. */
const MAX_TOLD_FAULTS = 5;
/** Some models wrap what they are asked for in a fence. */
const FENCED = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/;

/** A final answer judged by the schema that it must fit: the value, or what is wrong in words for the model. */
export type OutputVerdict = { readonly output: JsonValue } | { readonly outputProblem: string } | undefined;

/** Undefined where the context asks for no output, or the answer is not final. */
export function judgeOutput(
  schema: JsonObject | undefined,
  message: AssistantMessage | null,
  stopReason: StopReason,
): OutputVerdict {
  const isFinal = stopReason === 'end_turn' || stopReason === 'stop_sequence';
  if (!schema || !isFinal || message?.content.some((block) => block.type === 'call')) return undefined;
  const text = message ? textOf(message) : '';
  try {
    return judgeValue(schema, JSON.parse(FENCED.exec(text)?.[1] ?? text) as JsonValue);
  } catch (error) {
    return { outputProblem: `it is no JSON (${error instanceof Error ? error.message : String(error)})` };
  }
}

/**
 * The same verdict, where the agent's own check has nothing against the value. The agent here may be another than the one
 * that the run began with: its check counts where its schema is that of the run.
 */
export async function judgeByAgent(
  verdict: OutputVerdict,
  schema: JsonObject | undefined,
  agent: Pick<Agent, 'output' | 'checkOutput'> | undefined,
): Promise<OutputVerdict> {
  if (!verdict || !('output' in verdict) || !agent?.checkOutput) return verdict;
  if (!isDeepStrictEqual(agent.output, schema)) return verdict;
  const checked = await agent.checkOutput(verdict.output as JsonObject);
  return checked.status === 'valid' ? verdict : { outputProblem: checked.message };
}

// Ajv keeps what it has compiled for ever, so each schema is compiled once and not once an answer.
const checks = new LRUCache<string, ReturnType<typeof createJsonSchemaCheck>>({ max: 100 });

function checkFor(schema: JsonObject): ReturnType<typeof createJsonSchemaCheck> {
  const key = JSON.stringify(schema);
  const check = checks.get(key) ?? createJsonSchemaCheck(schema);
  checks.set(key, check);
  return check;
}

/** Why a schema can judge no answer, such as a reference that leads nowhere; undefined where it can. */
export function outputSchemaProblem(schema: JsonObject): string | undefined {
  try {
    checkFor(schema)({});
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function judgeValue(schema: JsonObject, output: JsonValue): OutputVerdict {
  const faults = checkFor(schema)(output as JsonObject);
  if (faults.length === 0) return { output };
  return { outputProblem: faults.slice(0, MAX_TOLD_FAULTS).map(faultText).join('; ') };
}
