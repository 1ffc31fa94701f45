import type { Agent } from '../../src/agents/agent.ts';
import { defineAgent } from '../../src/agents/agent.ts';
import type { JsonObject } from '../../src/protocol/messages.ts';
import { defineTool, type Tool, type ToolCall } from '../../src/tools/tool.ts';
import { behave } from './behaviours.ts';
import { BUILTINS } from './builtins.ts';
import type { CaseSettings, CaseTool, JsonMap } from './case-format.ts';
import { caseProvider, SUMMARY_MODEL } from './case-providers.ts';
import { PROVIDER_TOOLS } from './provider-tools.ts';
import type { WorkerSetup } from './worker-setup.ts';

/** The agent that every case asks. */
export const AGENT = 'case';
/** Serves what is registered but not offered to the model. */
const BACKSTAGE_AGENT = 'backstage';
/** The smallest budget that the provider takes. */
const THINKING_BUDGET_TOKENS = 1_024;
/** For a case that only wants compaction to be there. */
const USUAL_WINDOW_TOKENS = 200_000;

/** Told of each start of a handler. */
type OnStart = (tool: CaseTool, input: JsonMap, call: ToolCall) => void;

/** The tools of a case as the product's own. */
export function caseTools(
  { tools, settings, allowPrivate }: Pick<WorkerSetup, 'tools' | 'settings' | 'allowPrivate'>,
  onStart: OnStart,
): readonly Tool[] {
  return tools.map((tool) => {
    const started = (input: unknown, call: ToolCall) => onStart(tool, input as JsonMap, call);
    const make = tool.builtin === undefined ? undefined : BUILTINS[tool.builtin];
    if (make !== undefined) return watched(make(tool.name, allowPrivate), started);
    return defineTool({
      name: tool.name,
      description: tool.description,
      input: tool.input_schema as JsonObject,
      effect: tool.idempotent === false ? 'once' : 'idempotent',
      maxAttempts: tool.retry === 'none' ? 1 : undefined,
      maxResultBytes: settings.tool_result_cap_chars,
      run: (input, call) => {
        started(input, call);
        return behave(tool.behaviour, input as JsonMap, call);
      },
    });
  });
}

function watched(tool: Tool, started: (input: unknown, call: ToolCall) => void): Tool {
  return {
    ...tool,
    run: (input, call) => {
      started(input, call);
      return tool.run(input, call);
    },
  };
}

/** The agents of a case. Tools that are not offered to the model belong to an agent of their own. */
export function caseAgents(
  setup: Pick<WorkerSetup, 'tools' | 'settings' | 'provider'>,
  tools: readonly Tool[],
): Agent[] {
  const hidden = new Set(setup.tools.filter((spec) => spec.advertise === false).map((spec) => spec.name));
  const common = { instructions: 'You are a test agent.', model: caseProvider(setup.provider).model };
  const offered = tools.filter((tool) => !hidden.has(tool.name));
  const backstage = tools.filter((tool) => hidden.has(tool.name));
  const agents = [defineAgent({ ...common, name: AGENT, tools: offered, ...agentSettings(setup.settings) })];
  if (backstage.length === 0) return agents;
  return [...agents, defineAgent({ ...common, name: BACKSTAGE_AGENT, tools: backstage })];
}

function agentSettings(settings: CaseSettings) {
  const { loop_guard: guard, max_iterations: maxIterations, server_tools: serverTools } = settings;
  return {
    limits: maxIterations === undefined ? undefined : { maxIterations },
    maxOutputTokens: settings.max_tokens,
    modelAttempts: settings.model_attempts,
    streamIdleTimeoutMs: settings.stream_idle_timeout_ms,
    heartbeatTimeoutMs: settings.heartbeat_timeout_ms,
    continueAsNewAfterEvents: settings.continue_as_new_after_events,
    loopGuard: guard === undefined ? undefined : { warnAt: guard.warn, stopAt: guard.stop },
    compaction:
      settings.compaction === 'on'
        ? {
            contextWindowTokens: settings.context_window_tokens ?? USUAL_WINDOW_TOKENS,
            model: `anthropic/${SUMMARY_MODEL}`,
          }
        : undefined,
    modelOptions:
      settings.thinking === 'on' ? { thinking: { type: 'enabled', budget_tokens: THINKING_BUDGET_TOKENS } } : undefined,
    providerTools: serverTools?.map(providerTool),
  };
}

function providerTool(name: string): JsonObject {
  const tool = PROVIDER_TOOLS[name];
  if (tool === undefined) throw new Error(`unknown server-side tool: ${name}`);
  return tool as JsonObject;
}
