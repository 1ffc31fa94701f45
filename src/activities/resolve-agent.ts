import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Models } from '../adapters/by-name.ts';
import type { Agent } from '../agents/agent.ts';
import { FAILURES, type ResolveAgentInput } from '../protocol/activities.ts';
import type { JsonObject } from '../protocol/messages.ts';
import type { Limits } from '../protocol/run.ts';
import {
  type AgentSnapshot,
  type Compaction,
  contextHead,
  type ResolvedLimits,
  type ToolSnapshot,
} from '../protocol/snapshot.ts';
import { printed, wholeNumberProblem } from '../tools/definition-error.ts';
import { jsonSchemaProblem } from '../tools/json-schema.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import { type ContextCache, emptyContext } from './context-cache.ts';
import { hashOf } from './digest.ts';
import { toActivityFailure } from './failure.ts';
import { outputSchemaProblem } from './judge-output.ts';
import type { HasSearchAttributes } from './search-attributes.ts';

export interface ResolveAgentDeps {
  readonly agents: readonly Agent[];
  /** Of all agents of the worker: it knows the wire names. */
  readonly registry: ToolRegistry;
  readonly models: Models;
  readonly cache: ContextCache;
  readonly maxPayloadBytes: number;
  readonly hasSearchAttributes: HasSearchAttributes;
  readonly onDone: boolean;
}

type Request = ResolveAgentInput['request'];

/**
 * The agent as the run will keep it, with the request's overrides. An agent or model that there is not, and overrides
 * that can't be, are failures that no retry mends; faults are named all together.
 */
export function createResolveAgent(
  deps: ResolveAgentDeps,
): (input: ResolveAgentInput) => Promise<AgentSnapshot | null> {
  return async ({ request, unless }) => {
    const agent = findAgent(deps.agents, request.agent);
    const [model = '', ...fallbackModels] = await Promise.all(
      modelsOf(agent, request.model).map((name) => findModel(deps.models, name)),
    );
    const tools = toolsOf(deps.registry, agent);
    const output = request.output ?? agent.output;
    const problems = [
      ...toolProblems(tools, request.tools),
      ...limitProblems(request.limits),
      ...outputProblems(output),
    ];
    if (problems.length > 0) throw invalid(`agent ${agent.name} can't run as asked: ${problems.join('; ')}`);
    const snapshot = snapshotOf(deps, agent, {
      request,
      model,
      fallbackModels,
      output,
      compaction: await compactionOf(agent, deps.models),
      tools: chosen(tools, request.tools),
    });
    const hash = hashOf(snapshot);
    if (hash === unless) return null;
    const empty = emptyContext(contextHead(snapshot));
    deps.cache.set(empty);
    return { ...snapshot, digest: empty.digest, hash, searchAttributes: await deps.hasSearchAttributes() };
  };
}

function findAgent(agents: readonly Agent[], name: string): Agent {
  const agent = agents.find((candidate) => candidate.name === name);
  if (agent) return agent;
  const names = agents.map((candidate) => candidate.name).sort();
  throw ApplicationFailure.nonRetryable(
    `There is no agent ${printed(name)}. The agents are: ${names.join(', ')}.`,
    FAILURES.unknownAgent,
  );
}

/** A run that asks for a model gets that one alone. */
function modelsOf(agent: Agent, asked: string | undefined): readonly string[] {
  return asked === undefined ? [agent.model, ...agent.fallbackModels] : [asked];
}

async function compactionOf({ compaction }: Agent, models: Models): Promise<Compaction | undefined> {
  if (compaction?.model === undefined) return compaction;
  return { ...compaction, model: await findModel(models, compaction.model) };
}

/** The model's full name, `provider/model`. */
async function findModel(models: Models, name: string): Promise<string> {
  try {
    const { provider, model } = await models.find(name);
    return `${provider}/${model}`;
  } catch (error) {
    throw toActivityFailure(error, Context.current().info.attempt);
  }
}

function toolsOf(registry: ToolRegistry, agent: Agent): readonly ToolSnapshot[] {
  return registry.snapshots(agent.tools.map(({ name }) => name));
}

function isNamed(tool: ToolSnapshot, name: string): boolean {
  return tool.name === name || tool.toolName === name;
}

function chosen(tools: readonly ToolSnapshot[], names: Request['tools']): readonly ToolSnapshot[] {
  return names ? tools.filter((tool) => names.some((name) => isNamed(tool, name))) : tools;
}

function toolProblems(tools: readonly ToolSnapshot[], names: Request['tools'] = []): string[] {
  const known = tools.map((tool) => tool.toolName ?? tool.name).join(', ') || 'none';
  return names
    .filter((name) => !tools.some((tool) => isNamed(tool, name)))
    .map((name) => `it has no tool ${printed(name)} (its tools: ${known})`);
}

/** The request may come from a client of any language, so nothing about it is certain. */
function limitProblems(limits: Limits = {}): string[] {
  return Object.entries(limits)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => wholeNumberProblem(`limits.${name}`, value))
    .filter((problem) => problem !== undefined);
}

function outputProblems(schema: JsonObject | undefined): string[] {
  const problem = schema && (jsonSchemaProblem(schema) ?? outputSchemaProblem(schema));
  return problem === undefined ? [] : [`output is no valid JSON Schema: ${problem}`];
}

function withOverrides(own: ResolvedLimits, overrides: Limits = {}): ResolvedLimits {
  const given = Object.entries(overrides).filter(([, value]) => value !== null && value !== undefined);
  return { ...own, ...Object.fromEntries(given) };
}

interface Resolved {
  readonly request: Request;
  readonly model: string;
  readonly fallbackModels: readonly string[];
  readonly output?: JsonObject;
  readonly compaction?: Compaction;
  readonly tools: readonly ToolSnapshot[];
}

/** Named field by field: an agent is code and may hold what no payload can. */
function snapshotOf(
  deps: ResolveAgentDeps,
  agent: Agent,
  { request, model, fallbackModels, output, compaction, tools }: Resolved,
): Omit<AgentSnapshot, 'digest' | 'hash' | 'searchAttributes'> {
  return {
    agent: agent.name,
    instructions: request.instructions ?? agent.instructions,
    model,
    fallbackModels,
    tools,
    limits: withOverrides(agent.limits, request.limits),
    maxOutputTokens: agent.maxOutputTokens,
    modelAttempts: agent.modelAttempts,
    streamIdleTimeoutMs: agent.streamIdleTimeoutMs,
    heartbeatTimeoutMs: agent.heartbeatTimeoutMs,
    continueAsNewAfterEvents: agent.continueAsNewAfterEvents,
    loopGuard: agent.loopGuard,
    modelOptions: agent.modelOptions,
    providerTools: agent.providerTools,
    providerThread: agent.providerThread || undefined,
    output,
    compaction,
    mode: request.mode ?? 'task',
    live: request.live ?? false,
    maxPayloadBytes: deps.maxPayloadBytes,
    onDone: deps.onDone,
  };
}

function invalid(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, FAILURES.invalidAgent);
}
