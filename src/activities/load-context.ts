import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { type ContextRef, FAILURES } from '../protocol/activities.ts';
import { CONTEXT_PAGE_CHARS } from '../protocol/limits.ts';
import type { Message } from '../protocol/messages.ts';
import { QUERIES } from '../protocol/run.ts';
import type { ContextHead } from '../protocol/snapshot.ts';
import { type CachedContext, type ContextCache, emptyContext, extendContext } from './context-cache.ts';

/** For all pages of a context together. A run whose worker is gone doesn't answer; another attempt may have more luck. */
const QUERY_DEADLINE_MS = 10_000;

/**
 * The context that a model call stands on: from the cache, else from the run itself, which answers queries while it waits
 * for this very activity. Throws a retryable `Transcript.Unavailable` where it can't be had or is not the one asked for.
 */
export async function loadContext(cache: ContextCache, ref: ContextRef): Promise<CachedContext> {
  const cached = cache.get(ref.digest);
  if (cached) return cached;
  const loaded = parseContext(await askRun(ref));
  if (loaded.digest !== ref.digest) {
    throw unavailable(`the run's context of ${ref.length} messages does not have the digest ${ref.digest}`);
  }
  cache.set(loaded);
  return loaded;
}

async function askRun(ref: ContextRef): Promise<string> {
  const { client, cancellationSignal } = Context.current();
  try {
    return await client.withDeadline(Date.now() + QUERY_DEADLINE_MS, () => readPages(ref));
  } catch (error) {
    if (cancellationSignal.aborted) throw cancellationSignal.reason;
    throw unavailable('the run did not answer with its context', error);
  }
}

/** The run id is pinned: a later link of the run would answer for itself. */
async function readPages({ context, length }: ContextRef): Promise<string> {
  const { client, info } = Context.current();
  const { workflowId, runId } = info.workflowExecution ?? {};
  if (!workflowId) throw new Error('a model call needs its run');
  const run = client.workflow.getHandle(workflowId, runId);
  let text = '';
  for (;;) {
    const page: string = await run.query(QUERIES.context, context, length, text.length, CONTEXT_PAGE_CHARS);
    text += page;
    if (page.length < CONTEXT_PAGE_CHARS) return text;
  }
}

function parseContext(text: string): CachedContext {
  try {
    const [head, ...messages] = text.split('\n').map((line): unknown => JSON.parse(line));
    // What arrived is taken at its word only until its digest is compared.
    return extendContext(emptyContext(head as ContextHead), messages as Message[]);
  } catch (error) {
    throw unavailable('the run answered with what is no context', error);
  }
}

function unavailable(message: string, cause?: unknown): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    type: FAILURES.transcriptUnavailable,
    cause: cause instanceof Error ? cause : undefined,
  });
}
