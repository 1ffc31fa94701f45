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
  const facts: Fact[] = [];
  const ran: CallRequest[] = [];
  const asked: string[] = [];
  const plans: (CompactionPlan & { model: string })[] = [];
  let modelCalls = 0;
  let running = 0;
  let parallel = 0;
  const waiting = (): UserMessage[] => {
    const text = script.said?.[modelCalls];
    return text && !taken.has(modelCalls) ? [userMessage(text)] : [];
  };
  const taken = new Set<number>();
  const ports: LoopPorts = {
    async callModel({ iteration }, model) {
      asked.push(`#${iteration} ${model}`);
      if (script.cancelAt !== undefined && modelCalls >= script.cancelAt) return { status: 'cancelled' };
      const answer = script.answers[Math.min(modelCalls, script.answers.length - 1)];
      modelCalls++;
      if (!answer) throw new Error('the script has no answer');
      return answer;
    },
    async summarize(_, model, plan) {
      const answer = script.summaries?.[Math.min(plans.length, script.summaries.length - 1)];
      plans.push({ ...plan, model });
      if (!answer) throw new Error('the script has no summary');
      return answer;
    },
    runCall: () => async (request) => {
      ran.push(request);
      parallel = Math.max(parallel, ++running);
      const ok: ToolResult = {
        callId: request.call.callId,
        outcome: 'completed',
        content: [{ type: 'text', text: 'ok' }],
      };
      const result = await (script.runCall?.(request) ?? Promise.resolve(ok));
      running--;
      return result;
    },
    takeQueued() {
      const messages = waiting();
      taken.add(modelCalls);
      return messages;
    },
    queued: () => waiting().length,
    fact: (fact) => facts.push(fact),
    nowMs: script.clockMs ?? (() => 0),
    cancelRequested: () => script.cancelAt !== undefined && modelCalls >= script.cancelAt,
    linkIsFull: () => false,
  };
  const stop = await runTurn(state, ports);
  return { stop, transcript, facts, ran, plans, asked, modelCalls, state, parallel };
}

/** All messages of a transcript, seen and pending. */
export function messagesOf(transcript: Transcript): Message[] {
  return [...transcript.lines.map((line) => JSON.parse(line) as Message), ...transcript.pending];
}
