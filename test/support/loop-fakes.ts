// A scripted world for the pure loop: model answers and call outcomes as values, no Temporal.

import type { CallModelResult, ToolResult } from '../../src/protocol/activities.ts';
import type { Fact } from '../../src/protocol/facts.ts';
import {
  type AssistantMessage,
  callsOf,
  type Message,
  type UserMessage,
  userMessage,
} from '../../src/protocol/messages.ts';
import { NO_USAGE } from '../../src/protocol/run.ts';
import type { AgentSnapshot, ToolSnapshot } from '../../src/protocol/snapshot.ts';
import type { CallRequest } from '../../src/workflows/dispatch.ts';
import { runTurn, type TurnStop } from '../../src/workflows/loop.ts';
import type {
  CompactionPlan,
  LoopPorts,
  LoopState,
  ModelAnswer,
  SummaryAnswer,
} from '../../src/workflows/loop-ports.ts';
import { newTranscript, type Transcript } from '../../src/workflows/transcript.ts';
import { beginTurn, noSpend } from '../../src/workflows/turn.ts';

export function aTool(name: string, policy: Partial<ToolSnapshot> = {}): ToolSnapshot {
  return {
    name,
    description: `Test tool ${name}`,
    input_schema: { type: 'object' },
    effect: 'read',
    timeoutMs: 30_000,
    maxAttempts: 3,
    maxResultBytes: 196_608,
    quick: false,
    ...policy,
  };
}

export function aSnapshot(changes: Partial<AgentSnapshot> = {}): AgentSnapshot {
  return {
    agent: 'tester',
    instructions: 'Be brief.',
    model: 'fake/model',
    fallbackModels: [],
    tools: [aTool('look'), aTool('save')],
    limits: { maxIterations: 10, maxCallsPerIteration: 64 },
    maxOutputTokens: 8_192,
    modelAttempts: 5,
    streamIdleTimeoutMs: 60_000,
    heartbeatTimeoutMs: 30_000,
    continueAsNewAfterEvents: 4_000,
    loopGuard: { warnAt: 3, stopAt: 5 },
    mode: 'task',
    live: false,
    digest: 'head',
    hash: 'hash',
    maxPayloadBytes: 2_000_000,
    searchAttributes: false,
    onDone: false,
    ...changes,
  };
}

/** An answer of the model: text, and calls as `[name, input]` with ids made from `id`. */
export function anAnswer(id: string, text: string, ...calls: [name: string, input?: object][]): AssistantMessage {
  return {
    role: 'assistant',
    content: [
      ...(text ? [{ type: 'text' as const, text }] : []),
      ...calls.map(([name, input], index) => ({
        type: 'call' as const,
        callId: `${id}${index}`,
        name,
        input: { ...input } as Record<string, string>,
      })),
    ],
  };
}

export function answering(message: AssistantMessage | null, changes: Partial<CallModelResult> = {}): ModelAnswer {
  const calls = message ? callsOf(message) : [];
  return {
    status: 'completed',
    result: {
      message,
      stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
      rawStopReason: 'raw',
      model: 'fake/model',
      attempt: 1,
      usage: { ...NO_USAGE, inputTokens: 20, outputTokens: 10 },
      costUsdMicros: null,
      digest: 'digest',
      contextTokens: 0,
      verdicts: calls.map(() => ({ status: 'ok' })),
      ...changes,
    },
  };
}

export interface Script {
  readonly snapshot?: Partial<AgentSnapshot>;
  readonly answers: readonly ModelAnswer[];
  /** What a call gives; default: completed with the text `ok`. */
  readonly runCall?: (request: CallRequest) => Promise<ToolResult>;
  /** Summaries in order; the last one again and again. Default: none may be asked for. */
  readonly summaries?: readonly SummaryAnswer[];
  /** Messages that are there when the model is asked for the n-th time (0 = before the first). */
  readonly said?: Readonly<Record<number, string>>;
  /** Cancelled from the n-th model call on. */
  readonly cancelAt?: number;
  readonly clockMs?: () => number;
}

export interface Played {
  readonly stop: TurnStop;
  readonly transcript: Transcript;
  readonly facts: readonly Fact[];
  /** Every call that ran, in order. */
  readonly ran: readonly CallRequest[];
  /** Every summary that was asked for. */
  readonly plans: readonly (CompactionPlan & { readonly model: string })[];
  /** Every model call: `#iteration model`. */
  readonly asked: readonly string[];
  readonly modelCalls: number;
  readonly state: LoopState;
  /** Most calls that ran at the same time. */
  readonly parallel: number;
}

/** Plays one turn. */
export async function play(script: Script): Promise<Played> {
  const snapshot = aSnapshot(script.snapshot);
  const transcript = newTranscript(snapshot);
  const state: LoopState = {
    snapshot,
    transcript,
    turn: beginTurn(1, transcript, [userMessage('go')]),
    run: { ...noSpend(), startedAtMs: 0 },
  };
  const seen: Seen = { facts: [], ran: [], plans: [], asked: [], modelCalls: 0, parallel: 0 };
  const stop = await runTurn(state, portsOf(script, seen));
  return { ...seen, stop, transcript, state };
}

/** What the loop has asked of its ports so far. */
interface Seen {
  readonly facts: Fact[];
  readonly ran: CallRequest[];
  readonly plans: (CompactionPlan & { readonly model: string })[];
  readonly asked: string[];
  modelCalls: number;
  parallel: number;
}

function portsOf(script: Script, seen: Seen): LoopPorts {
  const isCancelled = () => script.cancelAt !== undefined && seen.modelCalls >= script.cancelAt;
  return {
    async callModel({ iteration }, model) {
      seen.asked.push(`#${iteration} ${model}`);
      if (isCancelled()) return { status: 'cancelled' };
      const answer = nthOf(script.answers, seen.modelCalls);
      seen.modelCalls++;
      if (!answer) throw new Error('the script has no answer');
      return answer;
    },
    async summarize(_, model, plan) {
      const answer = nthOf(script.summaries ?? [], seen.plans.length);
      seen.plans.push({ ...plan, model });
      if (!answer) throw new Error('the script has no summary');
      return answer;
    },
    runCall: callsOfScript(script, seen),
    ...queueOf(script, seen),
    fact: (fact) => seen.facts.push(fact),
    nowMs: script.clockMs ?? (() => 0),
    cancelRequested: isCancelled,
    linkIsFull: () => false,
  };
}

/** The last one again and again where there are no more. */
function nthOf<Item>(items: readonly Item[], index: number): Item | undefined {
  return items[Math.min(index, items.length - 1)];
}

function callsOfScript(script: Script, seen: Seen): LoopPorts['runCall'] {
  let running = 0;
  return () => async (request) => {
    seen.ran.push(request);
    seen.parallel = Math.max(seen.parallel, ++running);
    const { callId } = request.call;
    const ok: ToolResult = { callId, outcome: 'completed', content: [{ type: 'text', text: 'ok' }] };
    const result = await (script.runCall?.(request) ?? Promise.resolve(ok));
    running--;
    return result;
  };
}

/** What is said before each model call, to be taken once. */
function queueOf({ said }: Script, seen: Pick<Seen, 'modelCalls'>): Pick<LoopPorts, 'takeQueued' | 'queued'> {
  const taken = new Set<number>();
  const waiting = (): UserMessage[] => {
    const text = said?.[seen.modelCalls];
    return text && !taken.has(seen.modelCalls) ? [userMessage(text)] : [];
  };
  return {
    takeQueued() {
      const messages = waiting();
      taken.add(seen.modelCalls);
      return messages;
    },
    queued: () => waiting().length,
  };
}

/** All messages of a transcript, seen and pending. */
export function messagesOf(transcript: Transcript): Message[] {
  return [...transcript.lines.map((line) => JSON.parse(line) as Message), ...transcript.pending];
}
