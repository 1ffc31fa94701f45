import type { NativeConnection } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { defineAgent } from './agents/agent.ts';
import { createWorker } from './create-worker.ts';
import { defineTool } from './tools/tool.ts';

// Asked for anything, it would throw: the faults must be found before.
const CONNECTION = {} as NativeConnection;

function agent(name: string, description: string) {
  const input = { type: 'object' as const };
  const tool = defineTool({ name: 'look', description, input, effect: 'read', run: () => description });
  return defineAgent({ name, instructions: '', model: 'demo', tools: [tool] });
}

test('all faults of the agents are named at once, before anything is asked of the server', async () => {
  const agents = [agent('clerk', 'one way'), agent('clerk', 'another way')];
  const created = createWorker({
    agents,
    adapters: {},
    connection: CONNECTION,
    namespace: 'default',
    taskQueue: 'pawl',
  });
  await expect(created).rejects.toMatchObject({
    name: 'DefinitionError',
    problems: [
      expect.stringContaining('two agents are named "clerk"'),
      expect.stringContaining('two tools are named "look"'),
    ],
  });
});
