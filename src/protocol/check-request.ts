import { messagesProblem, promptProblem } from './check-messages.ts';
import { LIMIT_NAMES, type RunRequest } from './run.ts';

/** What is wrong with a request for a run: the field, the value seen, and the mend. Undefined where nothing is. */
export function requestProblem(request: RunRequest): string | undefined {
  if (typeof request !== 'object' || request === null)
    return 'the request must be an object like {"agent":"demo","prompt":"…"}';
  if (typeof request.agent !== 'string' || request.agent === '') return 'agent: name the agent to run';
  if (request.mode !== undefined && request.mode !== 'task' && request.mode !== 'chat') {
    return `mode: must be task or chat, not ${JSON.stringify(request.mode)}`;
  }
  return limitsProblem(request) ?? outputProblem(request) ?? contentProblem(request);
}

function limitsProblem({ limits }: RunRequest): string | undefined {
  for (const [name, value] of Object.entries(limits ?? {})) {
    if (!LIMIT_NAMES.includes(name)) return `limits.${name}: no such limit; there are ${LIMIT_NAMES.join(', ')}`;
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
      return `limits.${name}: must be a whole number above 0, not ${JSON.stringify(value)}`;
    }
  }
  return undefined;
}

function outputProblem({ output }: RunRequest): string | undefined {
  if (output === undefined || output === null || Object(output)['type'] === 'object') return undefined;
  return 'output: must be the JSON Schema of an object, like {"type":"object","properties":{…}}';
}

function contentProblem({ prompt, messages = [], mode }: RunRequest): string | undefined {
  const problem = messagesProblem(messages);
  if (problem) return problem;
  if (prompt !== undefined) return promptProblem(prompt);
  if (mode === 'chat' || messages.at(-1)?.role === 'user') return undefined;
  return 'prompt: say what the agent should do';
}
