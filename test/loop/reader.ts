// An agent that reads more than its model's window holds.

import { z } from 'zod';
import { type Agent, type AgentDefinition, defineAgent } from '../../src/agents/agent.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { asks, says } from '../support/messages.ts';

/** Gives some 1,200 tokens. */
export const read = defineTool({
  name: 'read',
  description: 'Reads a part.',
  input: z.object({ part: z.number() }),
  effect: 'read',
  run: ({ part }) => `part ${part} `.repeat(600),
});

/** The agent, whose summaries are written by a model of their own. */
export function reader(changes: Partial<AgentDefinition> = {}): Agent {
  return defineAgent({
    name: 'reader',
    instructions: 'Be brief.',
    model: 'anthropic/claude-fake-1',
    tools: [read],
    limits: { maxIterations: 30 },
    compaction: { contextWindowTokens: 6_000, model: 'anthropic/claude-fake-short' },
    ...changes,
  });
}

/** Answers of the model that read as many parts, one after the other. */
export const parts = (count: number) => Array.from({ length: count }, (_, n) => asks(['read', { part: n }]));

/** What the fake answers to the model that writes summaries. */
export const compaction = { model: 'claude-fake-short', response: says('Parts were read.') };
