import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  log,
  workflowInfo,
} from '@temporalio/workflow';
import { requestProblem } from '../protocol/check-request.ts';
import { cutText, jsonBytes } from '../protocol/json.ts';
import { MAX_ERROR_TEXT_BYTES, MAX_PAYLOAD_BYTES } from '../protocol/limits.ts';
import { type UserMessage, userMessage } from '../protocol/messages.ts';
import { MEMO, RUN_FAILURES, type RunRequest, type RunResult, type TurnResult } from '../protocol/run.ts';
import { callModel, callTool, cancelRequested, notifyDone, resolveAgent, summarize } from './activity-calls.ts';
import { modelAnswerOfFailure } from './failures.ts';
import { installHandlers } from './handlers.ts';
import { takeAll } from './inbox.ts';
import { runTurn } from './loop.ts';
import type { LoopPorts } from './loop-ports.ts';
import { renewAgent } from './renew-agent.ts';
import { failureDetails, memoResult, resultWithoutTurn, runResult, turnFinished, turnResult } from './results.ts';
import { type CarriedState, linkArguments, newRun, type Run, restoreRun } from './run-state.ts';
import { newTranscript } from './transcript.ts';
import { beginTurn, type TurnState } from './turn.ts';
import { cancelled, failed, type TurnEnd } from './turn-end.ts';
import { showDetails, showStart, showStatus } from './visibility.ts';

type Agent = NonNullable<Run['agent']>;

/** A link that can't be carried over ends here, by name: the server terminates it at 51,200 events or 50 MiB. */
const MAX_LINK_EVENTS = 45_000;
const MAX_LINK_BYTES = 44 * 1024 * 1024;

/**
 * One agent conversation: turns of the loop, what users say meanwhile, and new links where the history grows long.
 * Completes with a {@link RunResult}. A run that failed ends as failed, with the result in the details; a cancelled one
 * ends as cancelled, with the result in the memo. As a child it always completes, so that its parent reads the status.
 */
export async function agentRun(request: RunRequest, carried?: CarriedState, ...segments: string[]): Promise<RunResult> {
  const run = carried ? restoreRun(request, carried, segments) : newRun(request, Date.now());
  installHandlers(run);
  const end = await takeTurns(run);
  return finish(run, end);
}

/** Turn after turn. Gives the end of the run; undefined for a chat that was closed between its turns. */
async function takeTurns(run: Run): Promise<TurnEnd | undefined> {
  const begun = run.agent ?? (await begin(run));
  if ('status' in begun) return begun;
  for (;;) {
    const turn = run.turn ?? (await startTurn(run, run.agent ?? begun));
    if (!turn) return run.inbox.closeRequested ? undefined : cancelled();
    const agent = run.agent ?? begun;
    const stop = await runTurn({ ...agent, turn, run: run.spend }, portsOf(run, agent));
    if (stop === 'link_full') {
      const end = await continueInNextLink(run, agent);
      if (end) return end;
      continue;
    }
    if (agent.snapshot.mode === 'task' || stop.status === 'cancelled') return stop;
    endTurn(run, turn, stop);
  }
}

/** Checks the request and takes the agent's snapshot; gives the run's end where that can't be. */
async function begin(run: Run): Promise<Agent | TurnEnd> {
  const problem = requestProblem(run.request);
  if (problem) return failed('invalid_request', problem);
  try {
    const snapshot = await resolveAgent(run.request);
    if (!snapshot) throw new Error('the agent was looked up for the first time, and nothing came back');
    const transcript = newTranscript(snapshot);
    transcript.pending.push(...(run.request.messages ?? []));
    run.agent = { snapshot, transcript };
    showStart(snapshot, run.request);
    return run.agent;
  } catch (error) {
    const answer = modelAnswerOfFailure(error);
    return answer.status === 'failed' ? failed(answer.reason, answer.message) : cancelled();
  }
}

/** The next turn, once there is something to say. Undefined when the run is closed or cancelled before. */
async function startTurn(run: Run, { snapshot, transcript }: Agent): Promise<TurnState | undefined> {
  const first = run.turns === 0 ? firstMessages(run.request) : undefined;
  if (!first && !(await somethingToSay(run, snapshot))) return undefined;
  const changed = first ? undefined : await renewAgent(run, { snapshot, transcript });
  run.turns++;
  run.state = 'running';
  run.turn = beginTurn(run.turns, transcript, first ?? takeAll(run.inbox));
  run.facts.add({ type: 'turn_started', turn: run.turns });
  if (changed) run.facts.add({ type: 'agent_changed', turn: run.turns, ...changed });
  return run.turn;
}

/** What the request itself says; undefined for a chat that begins by waiting. */
function firstMessages({ prompt, messages }: RunRequest): UserMessage[] | undefined {
  if (prompt !== undefined) return [userMessage(prompt)];
  return messages?.at(-1)?.role === 'user' ? [] : undefined;
}

/** Waits for a message. False when the run is closed or cancelled instead. */
async function somethingToSay(run: Run, snapshot: Agent['snapshot']): Promise<boolean> {
  const { inbox } = run;
  if (inbox.queue.length > 0 || inbox.closeRequested) return inbox.queue.length > 0;
  run.state = 'idle';
  run.facts.flush();
  showStatus(snapshot, 'idle', run.spend);
  showDetails(snapshot, { turn: run.turns, iteration: 0 }, { usage: run.spend.usage, doing: 'Waiting for a message.' });
  try {
    await condition(() => inbox.queue.length > 0 || inbox.closeRequested);
  } catch (error) {
    if (isCancellation(error)) return false;
    throw error;
  }
  if (inbox.queue.length > 0) showStatus(snapshot, 'running', run.spend);
  return inbox.queue.length > 0;
}

function portsOf(run: Run, { snapshot, transcript }: Agent): LoopPorts {
  const doing = (iteration: number, what: string): void => {
    run.facts.flush();
    showDetails(snapshot, { turn: run.turns, iteration }, { usage: run.spend.usage, doing: what });
  };
  return {
    callModel(position, model) {
      doing(position.iteration, `Waiting for ${model}.`);
      run.askedInLink = true;
      return callModel(snapshot, transcript, { ...position, model });
    },
    summarize(position, model, plan) {
      doing(position.iteration, `Waiting for a summary by ${model}.`);
      return summarize(snapshot, transcript, { ...position, ...plan, model });
    },
    runCall: (position) => (request) => {
      doing(position.iteration, `Waiting for ${request.tool.name}.`);
      return callTool(snapshot, position, request);
    },
    takeQueued: () => takeAll(run.inbox),
    queued: () => run.inbox.queue.length,
    fact: (fact) => run.facts.add(fact),
    nowMs: () => Date.now(),
    cancelRequested,
    linkIsFull: () => linkIsFull(run, snapshot),
  };
}

/** Takes down how a turn ended. */
function endTurn(run: Run, turn: TurnState, end: TurnEnd): TurnResult {
  run.turn = null;
  run.last = turnResult(turn, end);
  run.facts.add(turnFinished(turn, end, run.inbox.queue.length));
  return run.last;
}

/**
 * Goes on in a new link. Comes back where what must be carried is too large for that: with undefined as long as this link
 * may grow on, else with the end that this means.
 */
async function continueInNextLink(run: Run, agent: Agent): Promise<TurnEnd | undefined> {
  run.facts.flush();
  await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  const next = linkArguments(run, agent);
  const bytes = next.reduce((sum, argument) => sum + jsonBytes(argument), 0);
  // The server's limit is for all arguments together. With external storage the large ones do not count.
  if (bytes <= MAX_PAYLOAD_BYTES || agent.snapshot.maxPayloadBytes > MAX_PAYLOAD_BYTES) {
    await continueAsNew<typeof agentRun>(...next);
  }
  run.staysInLink = true;
  if (!isAtItsEnd()) return undefined;
  const message = `The context has ${bytes} bytes, and ${MAX_PAYLOAD_BYTES} bytes fit into a new link. Set up external storage, or keep results smaller.`;
  return failed('payload_too_large', message);
}

/** Whether this link is long enough for the next one. One that can't be carried over grows on as long as the server lets it. */
function linkIsFull(run: Run, { continueAsNewAfterEvents }: Agent['snapshot']): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  if (!run.askedInLink) return false;
  return run.staysInLink ? isAtItsEnd() : continueAsNewSuggested || historyLength >= continueAsNewAfterEvents;
}

function isAtItsEnd(): boolean {
  const { historyLength, historySize } = workflowInfo();
  return historyLength >= MAX_LINK_EVENTS || historySize >= MAX_LINK_BYTES;
}

/** Ends the run. From the first line on no message is accepted, so none can be lost. */
async function finish(run: Run, end: TurnEnd | undefined): Promise<RunResult> {
  run.inbox.closing = true;
  run.state = 'closing';
  const result = runResult(run, lastTurn(run, end));
  run.facts.flush({ [MEMO.result]: memoResult(result) });
  log.info('run finished', { status: result.status, reason: result.reason, turns: result.turns });
  if (run.agent) showStatus(run.agent.snapshot, result.status, run.spend);
  if (run.agent?.snapshot.onDone) await CancellationScope.nonCancellable(() => notifyDone(result));
  await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  if (result.status === 'cancelled') throw new CancelledFailure(result.text);
  if (result.status !== 'failed' || workflowInfo().parent) return result;
  throw ApplicationFailure.create({
    type: RUN_FAILURES.failed,
    message: cutText(result.text, MAX_ERROR_TEXT_BYTES), // it travels a second time, in the stack
    details: [failureDetails(result)],
    nonRetryable: true,
  });
}

/** The turn whose end is the run's. A run can end before its first turn, or between two. */
function lastTurn(run: Run, end: TurnEnd | undefined): TurnResult {
  if (end && run.turn) return endTurn(run, run.turn, end);
  if (end) return resultWithoutTurn(end);
  return run.last ?? resultWithoutTurn({ status: 'completed', text: '', textIsAnswer: false });
}
