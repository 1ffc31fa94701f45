import type { Context } from '@temporalio/activity';
import type { JsonObject } from '../protocol/messages.ts';
import type { Execution, ToolRegistry } from '../tools/registry.ts';
import type { ToolCall } from '../tools/tool.ts';
import { aborted } from './endings.ts';

/** How the run of a handler ended for the dispatcher. A handler that ignores its signal is left to itself. */
export type HandlerEnding =
  | { readonly type: 'executed'; readonly execution: Execution }
  | { readonly type: 'timed_out' }
  | { readonly type: 'stopped' };

export interface HandlerRun {
  readonly registry: ToolRegistry;
  readonly wireName: string;
  readonly input: JsonObject;
  readonly call: Omit<ToolCall, 'signal'>;
  readonly timeoutMs: number;
  readonly maxResultBytes: number;
}

/** Runs a handler until it ends, its time is over, or the activity is stopped. Never throws. */
export async function runHandler(context: Context, run: HandlerRun): Promise<HandlerEnding> {
  const own = new AbortController();
  const timer = setTimeout(() => own.abort(new Error(`timed out after ${run.timeoutMs} ms`)), run.timeoutMs);
  const signal = AbortSignal.any([context.cancellationSignal, own.signal]);
  const executed = run.registry.execute(run.wireName, run.input, { ...run.call, signal }, run.maxResultBytes);
  try {
    return await Promise.race([
      executed.then((execution): HandlerEnding => ({ type: 'executed', execution })),
      aborted(signal).catch((): HandlerEnding => ({ type: own.signal.aborted ? 'timed_out' : 'stopped' })),
    ]);
  } finally {
    clearTimeout(timer);
  }
}
