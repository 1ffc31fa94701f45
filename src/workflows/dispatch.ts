import type { ToolResult, Verdict } from '../protocol/activities.ts';
import { MAX_ITERATION_RESULT_BYTES, MAX_PARALLEL_CALLS } from '../protocol/limits.ts';
import type { CallBlock } from '../protocol/messages.ts';
import { NOT_RUN, notRunText } from '../protocol/outcomes.ts';
import type { ToolSnapshot } from '../protocol/snapshot.ts';

/** One call that may run. */
export interface CallRequest {
  readonly call: CallBlock;
  readonly tool: ToolSnapshot;
  readonly maxResultBytes: number;
  /** Every call of the iteration is quick, so nothing slow waits behind this one in its workflow task. */
  readonly quick: boolean;
}

/** Runs one call. Never rejects: whatever happens is an outcome. */
export type RunCall = (request: CallRequest) => Promise<ToolResult>;

/** What becomes of an iteration's calls before anything runs: those to run, and those answered at once. */
export interface CallPlan {
  readonly run: readonly CallRequest[];
  readonly answered: readonly ToolResult[];
  /** The part of `answered` that only the workflow knows of. */
  readonly skipped: readonly ToolResult[];
}

/** Sorts the calls of one answer. Calls beyond `maxCalls` are skipped; a verdict that is not `ok` is the answer. */
export function planCalls(
  calls: readonly CallBlock[],
  verdicts: readonly Verdict[],
  tools: readonly ToolSnapshot[],
  maxCalls: number,
): CallPlan {
  const toolOf = new Map(tools.map((tool) => [tool.name, tool]));
  const runnable: { call: CallBlock; tool: ToolSnapshot }[] = [];
  const answered: ToolResult[] = [];
  const skipped: ToolResult[] = [];
  for (const [index, call] of calls.entries()) {
    const verdict = verdicts[index];
    const tool = toolOf.get(call.name);
    if (index >= maxCalls) skipped.push(skip(call, `only ${maxCalls} calls may run in one iteration.`));
    else if (verdict?.status === 'ok' && tool) runnable.push({ call, tool });
    else answered.push(textResult(call, 'failed', verdictText(call, verdict)));
  }
  const quick = runnable.every(({ tool }) => tool.quick);
  const share = Math.floor(MAX_ITERATION_RESULT_BYTES / Math.max(1, runnable.length));
  const run = runnable.map(({ call, tool }) => ({
    call,
    tool,
    quick,
    maxResultBytes: Math.min(tool.maxResultBytes, share),
  }));
  return { run, answered: [...answered, ...skipped], skipped };
}

/** Runs the calls, at most {@link MAX_PARALLEL_CALLS} at once. The order of the results is the order of the requests. */
export function runCalls(requests: readonly CallRequest[], runCall: RunCall): Promise<ToolResult[]> {
  return requests.length <= MAX_PARALLEL_CALLS ? Promise.all(requests.map(runCall)) : runInTurn(requests, runCall);
}

async function runInTurn(requests: readonly CallRequest[], runCall: RunCall): Promise<ToolResult[]> {
  const results: ToolResult[] = [];
  let next = 0;
  const runNext = async (): Promise<void> => {
    for (let index = next++; index < requests.length; index = next++) {
      const request = requests[index];
      if (request) results[index] = await runCall(request);
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL_CALLS, requests.length) }, runNext));
  return results;
}

/** The result of a call that is not run, with the reason for the model. */
export function skip(call: CallBlock, why: string): ToolResult {
  return textResult(call, 'skipped', notRunText(call.name, why));
}

/** A result that is one text. */
export function textResult(call: CallBlock, outcome: ToolResult['outcome'], text: string): ToolResult {
  return { callId: call.callId, outcome, content: [{ type: 'text', text }] };
}

function verdictText(call: CallBlock, verdict: Verdict | undefined): string {
  return verdict && verdict.status !== 'ok' ? verdict.text : notRunText(call.name, NOT_RUN.noSuchTool);
}
