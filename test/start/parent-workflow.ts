// A workflow of a user's own that runs an agent as a child.

import { executeChild, type WorkflowResultType } from '@temporalio/workflow';
import { agentRun } from '../../src/workflows/index.ts';

export { agentRun } from '../../src/workflows/index.ts';

/** Asks an agent, and gives back how its run ended. */
export async function askAgent(agent: string, prompt: string): Promise<WorkflowResultType<typeof agentRun>> {
  return executeChild(agentRun, { args: [{ agent, prompt }] });
}
