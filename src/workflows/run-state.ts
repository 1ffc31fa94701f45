import type { CarriedView } from '../protocol/carried.ts';
import type { RunRequest, RunState, TurnResult } from '../protocol/run.ts';
import type { AgentSnapshot } from '../protocol/snapshot.ts';
import { FactLog } from './fact-log.ts';
import { type Inbox, newInbox } from './inbox.ts';
import {
  type CarriedTranscript,
  carriedTranscript,
  restoreTranscript,
  segmentsOf,
  type Transcript,
} from './transcript.ts';
import { noSpend, type RunSpend, type TurnState } from './turn.ts';

/** A run as the workflow holds it, apart from what the agent's snapshot gives. */
export interface Run {
  readonly request: RunRequest;
  /** 1 for the first link. */
  readonly link: number;
  readonly inbox: Inbox;
  readonly facts: FactLog;
  readonly spend: RunSpend;
  /** Turns that have begun. */
  turns: number;
  /** A model call was made in this link. A link without one is never full, so links can't follow each other for nothing. */
  askedInLink: boolean;
  /** What would have to be carried is too large for another link. */
  staysInLink: boolean;
  state: RunState['state'];
  /** The turn in progress. */
  turn: TurnState | null;
  /** The last turn that has ended. */
  last: TurnResult | null;
  /** Set once the agent is resolved. */
  agent: { readonly snapshot: AgentSnapshot; readonly transcript: Transcript } | null;
}

/** What continue-as-new carries over, beside the transcript's segments. It is not what the user asked for. Readers see a part of it. */
export interface CarriedState extends CarriedView {
  readonly transcript: CarriedTranscript;
  readonly inbox: Inbox;
  readonly spend: RunSpend;
  readonly turn: TurnState | null;
  readonly last: TurnResult | null;
}

/** The arguments of `agentRun` in the next link; each segment is its own, so that stored ones are shared. */
export type LinkArguments = [request: RunRequest, carried: CarriedState, ...segments: string[]];

export function newRun(request: RunRequest, nowMs: number): Run {
  return {
    request,
    link: 1,
    inbox: newInbox(),
    facts: new FactLog(),
    spend: { ...noSpend(), startedAtMs: nowMs },
    turns: 0,
    askedInLink: false,
    staysInLink: false,
    state: 'starting',
    turn: null,
    last: null,
    agent: null,
  };
}

export function restoreRun(request: RunRequest, carried: CarriedState, segments: readonly string[]): Run {
  const { snapshot, transcript, ...rest } = carried;
  return {
    ...rest,
    request,
    facts: new FactLog(),
    askedInLink: false,
    staysInLink: false,
    state: 'running',
    agent: { snapshot, transcript: restoreTranscript(transcript, segments) },
  };
}

export function linkArguments(run: Run, agent: NonNullable<Run['agent']>): LinkArguments {
  const { prompt: _, messages: __, ...request } = run.request;
  const carried: CarriedState = {
    link: run.link + 1,
    snapshot: agent.snapshot,
    transcript: carriedTranscript(agent.transcript),
    inbox: run.inbox,
    spend: run.spend,
    turns: run.turns,
    turn: run.turn,
    last: run.last,
  };
  return [request, carried, ...segmentsOf(agent.transcript)];
}

/** What the query `status` answers. */
export function stateOf(run: Run): RunState {
  return {
    state: run.state,
    turn: run.turns,
    iteration: run.turn?.iteration ?? 0,
    queued: run.inbox.queue.length,
    usage: run.spend.usage,
    costUsdMicros: run.spend.costUsdMicros,
    link: run.link,
  };
}
