import { randomUUID } from 'node:crypto';
import { type Client, WorkflowExecutionAlreadyStartedError, type WorkflowStartOptions } from '@temporalio/client';
import { requestProblem } from '../protocol/check-request.ts';
import { cutText } from '../protocol/json.ts';
import { type JsonObject, type Prompt, textOf, userMessage } from '../protocol/messages.ts';
import { type RunRequest, WORKFLOW_TYPE } from '../protocol/run.ts';
import { jsonSchemaOf, type StandardSchema } from '../protocol/standard-schema.ts';
import { checkSize } from './check-size.ts';
import { InvalidRequest, RunExists } from './errors.ts';
import { callServer } from './server-call.ts';

/** A worker that dies inside a workflow task costs the run this long; tasks themselves take milliseconds. */
const WORKFLOW_TASK_TIMEOUT_MS = 5_000;
/** One line of a list in the Temporal UI; the server takes 400 bytes. */
const MAX_SUMMARY_BYTES = 200;
/** As much of a prompt as tells runs apart; the server takes 20,000 bytes. */
const MAX_DETAILS_PROMPT_BYTES = 4_000;
/** Temporal's own limit for ids in its usual settings. */
const MAX_RUN_ID_BYTES = 255;

/** A run that has been started. */
export interface StartedRun {
  /** The run's id: Temporal's workflow id. */
  readonly run: string;
  /** Temporal's run id of the first link. */
  readonly firstExecutionRunId: string;
}

/** What a client may ask for: a request, whose `output` may also be a schema of Zod 4.2 or another Standard Schema library. */
export type StartRequest = Omit<RunRequest, 'output'> & { readonly output?: JsonObject | StandardSchema };

/** The request as it travels. Throws {@link InvalidRequest} for a schema that has no JSON form. */
function plainRequest({ output, ...request }: StartRequest): RunRequest {
  if (output === undefined) return request;
  if (!isStandard(output)) return { ...request, output };
  try {
    return { ...request, output: jsonSchemaOf(output) };
  } catch (error) {
    throw new InvalidRequest(`output: ${(error as Error).message}`);
  }
}

function isStandard(output: JsonObject | StandardSchema): output is StandardSchema {
  return '~standard' in Object(output);
}

/** Starts a run. Throws {@link InvalidRequest} before anything is sent, {@link RunExists}, `ServerUnavailable`. */
export async function startRun(
  client: Client,
  taskQueue: string,
  asked: StartRequest,
  id?: string,
): Promise<StartedRun> {
  const request = plainRequest(Object(asked));
  const problem = requestProblem(request);
  if (problem) throw new InvalidRequest(problem);
  checkSize(client, 'request', request);
  const run = id ?? `pawl-${request.agent}-${randomUUID().slice(0, 8)}`;
  checkId(run);
  const options: WorkflowStartOptions = {
    taskQueue,
    workflowId: run,
    args: [request],
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    workflowIdConflictPolicy: 'FAIL',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
    staticSummary: summaryOf(request),
    staticDetails: detailsOf(request),
  };
  try {
    const handle = await callServer(client, run, () => client.workflow.start(WORKFLOW_TYPE, options));
    return { run, firstExecutionRunId: handle.firstExecutionRunId };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const { status } = await callServer(client, run, () => client.workflow.getHandle(run).describe());
    throw new RunExists(run, status.name.toLowerCase(), { cause: error });
  }
}

function checkId(run: string): void {
  const bytes = Buffer.byteLength(run);
  if (bytes > 0 && bytes <= MAX_RUN_ID_BYTES) return;
  throw new InvalidRequest(`id: must have 1 to ${MAX_RUN_ID_BYTES} bytes, and has ${bytes}`);
}

function summaryOf({ agent, prompt }: RunRequest): string {
  const [firstLine = ''] = textOfPrompt(prompt).trim().split('\n', 1);
  return cutText(firstLine ? `${agent}: ${firstLine}` : agent, MAX_SUMMARY_BYTES);
}

/** Markdown for the Temporal UI. A quoted prompt can't break out of its quote. */
function detailsOf({ agent, prompt, model, requestedBy, messages }: RunRequest): string {
  const facts = [
    ['agent', agent],
    ['model', model],
    ['requested by', requestedBy],
    ['messages before', messages?.length],
  ].filter(([, value]) => value !== undefined);
  const quote = cutText(textOfPrompt(prompt), MAX_DETAILS_PROMPT_BYTES)
    .split('\n')
    .map((line) => `> ${line}`);
  return [...facts.map(([name, value]) => `- **${name}:** ${value}`), '', ...quote].join('\n');
}

function textOfPrompt(prompt: Prompt = ''): string {
  return textOf(userMessage(prompt));
}
