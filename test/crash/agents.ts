import { type Agent, defineAgent } from '../../src/agents/agent.ts';
import type { Effect } from '../../src/protocol/snapshot.ts';
import { defineTool, type Tool, type ToolCall } from '../../src/tools/tool.ts';

/** A handler in the words of its tool. What it returns is waited for; the result is the same in every attempt. */
export type Handle = (tool: string, call: ToolCall) => unknown;

/** The tools, one for each promise about running twice. `look` is there for what happens before and beside them. */
export const TOOLS = {
  look: { effect: 'read' },
  read: { effect: 'read' },
  save: { effect: 'idempotent' },
  pay: { effect: 'once' },
  add: { effect: 'read', quick: true },
} as const satisfies Record<string, { readonly effect: Effect; readonly quick?: boolean }>;
export type ToolName = keyof typeof TOOLS;

/** Keeps the defaults: only a lease journal can save its runs within a test's time. */
export const WITH_LEASES = 'with-leases';
/** For workers without a lease journal: a short heartbeat timeout tells that they are lost. */
export const WITHOUT_LEASES = 'without-leases';
const SHORT_HEARTBEAT_TIMEOUT_MS = 2_000;

/** The agents of these tests. One attempt is all that a handler of theirs may use up by failing. */
export function crashAgents(handle: Handle): Agent[] {
  const tools = Object.entries(TOOLS).map(([name, policy]) => crashTool(name, policy, handle));
  const agent = { instructions: 'You are a test agent.', model: 'anthropic/claude-fake-1', tools };
  return [
    defineAgent({ ...agent, name: WITH_LEASES }),
    defineAgent({ ...agent, name: WITHOUT_LEASES, heartbeatTimeoutMs: SHORT_HEARTBEAT_TIMEOUT_MS }),
  ];
}

function crashTool(name: string, policy: { readonly effect: Effect; readonly quick?: boolean }, handle: Handle): Tool {
  return defineTool({
    ...policy,
    name,
    description: `Test tool ${name}`,
    input: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
    maxAttempts: 1,
    run: async (input, call) => {
      await handle(name, call);
      return `${name} gave ${JSON.stringify(input)}`;
    },
  });
}
