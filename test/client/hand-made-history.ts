// Histories made by hand, event by event, for what reads them without a server.

import type { DecodedEvent, LinkEnding } from '../../src/client/decoded-event.ts';
import type { CallModelResult, SummarizeResult, ToolResult, Verdict } from '../../src/protocol/activities.ts';
import type { CarriedView } from '../../src/protocol/carried.ts';
import type { Fact } from '../../src/protocol/facts.ts';
import type { AssistantBlock, Message } from '../../src/protocol/messages.ts';
import type { CallFailure } from '../../src/protocol/outcomes.ts';
import { NO_USAGE, type RunRequest, type RunResult } from '../../src/protocol/run.ts';
import type { AgentSnapshot } from '../../src/protocol/snapshot.ts';
import { aTool } from '../support/loop-fakes.ts';

type Body = DecodedEvent extends infer Event
  ? Event extends unknown
    ? Omit<Event, 'link' | 'eventId' | 'at'>
    : never
  : never;

const START_MS = Date.UTC(2026, 0, 1);
export const USAGE = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 2 };

const SNAPSHOT = {
  agent: 'demo',
  instructions: 'Help.',
  model: 'test/model',
  tools: [aTool('look'), aTool('pay', { effect: 'once' }), aTool('time', { quick: true })],
} as unknown as AgentSnapshot;

export const RESULT: RunResult = {
  status: 'completed',
  text: 'done',
  iterations: 1,
  usage: USAGE,
  costUsdMicros: 7,
  lastState: { text: 'done', lastCalls: [] },
  turns: 1,
  transcript: { length: 2, digest: 'd' },
};

/** A history that grows by one event a call, one second apart. Calls that schedule something return its event id. */
export class HandMadeHistory {
  readonly events: DecodedEvent[] = [];
  readonly link: number;

  constructor(link = 1) {
    this.link = link;
  }

  add(body: Body): number {
    const eventId = this.events.length + 1;
    const at = new Date(START_MS + eventId * 1_000).toISOString();
    this.events.push({ link: this.link, eventId, at, ...body } as DecodedEvent);
    return eventId;
  }

  /** The usual beginning: the request, the first workflow task, the agent, the first turn. */
  begin(request: Partial<RunRequest> = {}): this {
    this.add({ type: 'link_started', args: [{ agent: 'demo', prompt: 'hi', ...request }] });
    this.add({ type: 'task_started' });
    this.local('pawl.resolveAgent', { status: 'completed', result: SNAPSHOT });
    this.facts({ type: 'turn_started', turn: 1 });
    return this;
  }

  /** The beginning of a later link. */
  goOn(carried: Partial<CarriedView>, ...segments: string[]): this {
    const state: CarriedView = {
      link: this.link,
      snapshot: SNAPSHOT,
      transcript: { digest: 'd' },
      inbox: { seen: [] },
      spend: { usage: NO_USAGE, costUsdMicros: 0 },
      turns: 1,
      turn: null,
      ...carried,
    };
    this.add({ type: 'link_started', args: [{ agent: 'demo' }, state, ...segments] });
    return this;
  }

  facts(...facts: Fact[]): number {
    return this.add({ type: 'memo_changed', memo: { 'pawl.facts': facts } });
  }

  turnFinished(fact: Partial<Extract<Fact, { type: 'turn_finished' }>> = {}): number {
    const rest = { status: 'completed', iterations: 1, usage: USAGE, costUsdMicros: 7, queued: 0 } as const;
    return this.facts({ type: 'turn_finished', turn: 1, ...rest, ...fact });
  }

  /** One model call from its schedule to its result. */
  model(
    content: readonly AssistantBlock[],
    { verdicts, append = [], baseLength = 0, iteration = 1, turn = 1, attempt = 1, ...result }: ModelOptions = {},
  ): number {
    const base = { context: 0, length: baseLength, digest: 'd' };
    const scheduledId = this.add({
      type: 'activity_scheduled',
      activityId: `m${this.events.length}`,
      name: 'pawl.callModel',
      input: { turn, iteration, base, append, agent: 'demo', model: 'test/model' },
    });
    this.add({ type: 'activity_started', scheduledId, attempt });
    const calls = content.filter(({ type }) => type === 'call');
    const full: CallModelResult = {
      message: content.length > 0 ? { role: 'assistant', content } : null,
      stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
      rawStopReason: 'raw',
      model: 'model-1',
      attempt,
      usage: USAGE,
      costUsdMicros: 7,
      digest: 'd2',
      contextTokens: 40,
      verdicts: verdicts ?? calls.map(() => ({ status: 'ok' })),
      ...result,
    };
    return this.add({ type: 'activity_ended', scheduledId, ending: { status: 'completed', result: full } });
  }

  /** A compaction from its schedule to its result. */
  summary(said: string, { cut, length, turnStart }: { cut: number; length: number; turnStart: number }): number {
    const base = { context: 0, length, digest: 'd' };
    const scheduledId = this.add({
      type: 'activity_scheduled',
      activityId: `s${this.events.length}`,
      name: 'pawl.summarize',
      input: { turn: 1, iteration: 1, base, cut, turnStart: 0, agent: 'demo', model: 'test/short' },
    });
    this.add({ type: 'activity_started', scheduledId, attempt: 2 });
    const result: SummarizeResult = {
      summary: { role: 'user', content: [text(said)] },
      digest: 'd3',
      contextTokens: 10,
      turnStart: { length: turnStart, digest: 'd4', tokens: 5 },
      model: 'short-1',
      attempt: 2,
      usage: USAGE,
      costUsdMicros: 3,
    };
    return this.add({ type: 'activity_ended', scheduledId, ending: { status: 'completed', result } });
  }

  schedule(callId: string, name: string, input: Record<string, string> = {}): number {
    return this.add({
      type: 'activity_scheduled',
      activityId: callId,
      name,
      input: { turn: 1, iteration: 1, callId, input, agent: 'demo', maxResultBytes: 1_000 },
    });
  }

  completed(scheduledId: number, result: ToolResult, attempt = 1): number {
    this.add({ type: 'activity_started', scheduledId, attempt });
    return this.add({ type: 'activity_ended', scheduledId, ending: { status: 'completed', result } });
  }

  failed(scheduledId: number, failure: CallFailure, attempt = 1): number {
    this.add({ type: 'activity_started', scheduledId, attempt });
    return this.add({ type: 'activity_ended', scheduledId, ending: { status: 'failed', failure } });
  }

  local(name: string, ending: Extract<Body, { type: 'local_activity_ended' }>['ending']): number {
    const completedAtMs = START_MS + (this.events.length + 1) * 1_000;
    return this.add({ type: 'local_activity_ended', name, attempt: 1, completedAtMs, ending });
  }

  close(ending: LinkEnding = { status: 'completed', result: RESULT }): this {
    this.add({ type: 'link_closed', ending });
    return this;
  }
}

interface ModelOptions extends Partial<CallModelResult> {
  readonly verdicts?: readonly Verdict[];
  readonly append?: readonly Message[];
  readonly baseLength?: number;
  readonly iteration?: number;
  readonly turn?: number;
}

export function text(value: string): AssistantBlock & { readonly type: 'text' } {
  return { type: 'text', text: value };
}

export function callBlock(callId: string, name: string, input: Record<string, string> = {}): AssistantBlock {
  return { type: 'call', callId, name, input };
}

export function resultOfCall(callId: string, value: string): ToolResult {
  return { callId, outcome: 'completed', content: [{ type: 'text', text: value }] };
}
