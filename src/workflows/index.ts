// The workflows that a worker serves, and the door `pawl/workflows` for workflows of your own.

export { agentRun } from './agent-run.ts';
