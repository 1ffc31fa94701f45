// A model that follows a script, and an agent with one tool of each kind.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelAdapter, ModelRequest } from '../../src/adapters/model-adapter.ts';
import { type Agent, type AgentDefinition, defineAgent } from '../../src/agents/agent.ts';
import type { AssistantBlock } from '../../src/protocol/messages.ts';
import { defineTool } from '../../src/tools/tool.ts';

/** What the model answers to the n-th request: text, or the tools to call. */
export type Reply = string | readonly AssistantBlock[];

/** An adapter that answers by a function of the request. */
export function scriptedModel(reply: (request: ModelRequest) => Reply): ModelAdapter {
  return {
    async *stream(request) {
      const answer = reply(request);
      const content: readonly AssistantBlock[] = typeof answer === 'string' ? [{ type: 'text', text: answer }] : answer;
      const calls = content.some(({ type }) => type === 'call');
      yield {
        type: 'finished',
        message: { role: 'assistant', content },
        stopReason: calls ? 'tool_use' : 'end_turn',
        rawStopReason: calls ? 'tool_use' : 'end_turn',
        model: 'scripted-1',
        usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
      };
    },
  };
}

export function call(callId: string, name: string, input: Record<string, string | number> = {}): AssistantBlock {
  return { type: 'call', callId, name, input };
}

const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;

/** `echo` gives its text back; `quick_echo` does so within the workflow task; `wait` ends by a cancel alone. */
export function scriptedAgent(definition: Partial<AgentDefinition> = {}): Agent {
  const echo = { description: 'Says the text again.', input, effect: 'read' } as const;
  return defineAgent({
    name: 'scripted',
    instructions: 'Follow the script.',
    model: 'test/scripted',
    tools: [
      defineTool({ ...echo, name: 'echo', run: ({ text }) => text }),
      defineTool({ ...echo, name: 'quick_echo', quick: true, run: ({ text }) => text }),
      defineTool({ ...echo, name: 'wait', run: (_, { signal }) => sleep(600_000, undefined, { signal }) }),
    ],
    ...definition,
  });
}
