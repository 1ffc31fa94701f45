import Anthropic from '@anthropic-ai/sdk';
import { Context } from '@temporalio/activity';
import { TOOL_NAMES } from '../job.ts';
import { incompressible } from '../pawl-worker.ts';
import type { FloorActivities, Message } from './contract.ts';

const TOOLS = TOOL_NAMES.map((name) => ({
  name,
  description: 'Reads something long.',
  input_schema: { type: 'object' as const, properties: { page: { type: 'integer' } }, required: ['page'] },
}));

/** The activities of the floor, with the conversations of all its runs in memory. */
export function createFloorActivities(modelUrl: string, resultBytes: number): FloorActivities {
  const client = new Anthropic({ apiKey: 'bench-key', baseURL: modelUrl, maxRetries: 0 });
  const cache = new Map<string, readonly Message[]>();
  return {
    async callModel({ model, length, append }) {
      const { workflowId } = Context.current().info.workflowExecution ?? {};
      if (!workflowId) throw new Error('a model call needs its run');
      const cached = cache.get(workflowId) ?? [];
      const base = cached.length === length ? cached : await askRun(workflowId);
      const messages = [...base, ...append];
      const request = { model, max_tokens: 8_192, system: 'Read everything.', tools: TOOLS, messages };
      const { role, content } = await client.messages.stream(request).finalMessage();
      cache.set(workflowId, [...messages, { role, content }]);
      return { role, content };
    },
    async callTool({ id }) {
      return { type: 'tool_result', tool_use_id: id, content: incompressible(resultBytes) };
    },
  };
}

function askRun(workflowId: string): Promise<readonly Message[]> {
  return Context.current().client.workflow.getHandle(workflowId).query<readonly Message[]>('conversation');
}
