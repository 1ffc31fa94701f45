// The smallest runs that call activities: one tool, or one model with a context that can be asked for.

import { defineQuery, proxyActivities, proxyLocalActivities, setHandler } from '@temporalio/workflow';
import type {
  CallModelInput,
  CallModelResult,
  CallToolInput,
  PawlActivities,
  ToolResult,
} from '../../src/protocol/activities.ts';

type Tools = Record<string, (input: CallToolInput) => Promise<ToolResult>>;

const RETRY = { initialInterval: 10, backoffCoefficient: 1, maximumAttempts: 20 };

/** Calls one tool as an ordinary activity. */
export async function callTool(name: string, input: CallToolInput, heartbeatTimeoutMs: number): Promise<ToolResult> {
  const tools = proxyActivities<Tools>({
    activityId: input.callId,
    startToCloseTimeout: 60_000,
    heartbeatTimeout: heartbeatTimeoutMs,
    retry: RETRY,
  });
  return await dispatched(tools, name)(input);
}

/** Calls one tool as a local activity. */
export async function callQuickTool(name: string, input: CallToolInput): Promise<ToolResult> {
  const tools = proxyLocalActivities<Tools>({ startToCloseTimeout: 5_000, retry: { maximumAttempts: 1 } });
  return await dispatched(tools, name)(input);
}

/** Calls the model over a context of these lines, which it answers for as a run does. */
export async function callModel(lines: readonly string[], input: CallModelInput): Promise<CallModelResult> {
  setHandler(defineQuery<string, [number, number, number, number]>('context'), (_context, length, offset, chars) =>
    lines
      .slice(0, length + 1)
      .join('\n')
      .slice(offset, offset + chars),
  );
  const { 'pawl.callModel': call } = proxyActivities<PawlActivities>({
    startToCloseTimeout: 60_000,
    retry: { ...RETRY, maximumAttempts: 2 },
  });
  return await call(input);
}

function dispatched(tools: Tools, name: string): Tools[string] {
  const call = tools[name];
  if (!call) throw new Error(`no activity ${name}`);
  return call;
}
