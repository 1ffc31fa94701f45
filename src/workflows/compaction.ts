import { cutText } from '../protocol/json.ts';
import { COMPACTION_FREES, COMPACTION_KEEPS, COMPACTION_STARTS_AT } from '../protocol/limits.ts';
import type { Message } from '../protocol/messages.ts';
import type { Compaction } from '../protocol/snapshot.ts';
import { estimateTokens } from '../protocol/tokens.ts';
import {
  type CompactionPlan,
  type LoopPorts,
  type LoopState,
  type ModelAnswer,
  modelOfTurn,
  positionOf,
} from './loop-ports.ts';
import { compactTo, type Mark, type Transcript } from './transcript.ts';
import { addSpend } from './turn.ts';

/** What became of a compaction. `none`: there is nothing to make short, or no summary could be had. */
type Compacted = 'compacted' | 'none' | 'cancelled';

/** A fact stays small beside others in its batch. */
const MAX_TOLD_BYTES = 400;

/** Whether the next model call would come near the model's window, and a summary would make room. */
export function contextIsFull({ snapshot, transcript, turn }: LoopState): boolean {
  const { compaction } = snapshot;
  if (!compaction || turn.uncompactable) return false;
  const window = compaction.contextWindowTokens;
  if (transcript.tokens + tokensOf(transcript.pending) < window * COMPACTION_STARTS_AT) return false;
  const messages = messagesIn(transcript);
  return tokensOf(messages.slice(0, cutOf(messages, transcript.pending, compaction))) >= window * COMPACTION_FREES;
}

/** Asks for a summary of the older messages and goes on in the next context. History is told where none could be had. */
export async function compact(state: LoopState, ports: LoopPorts): Promise<Compacted> {
  const { snapshot, transcript, turn, run } = state;
  const { compaction } = snapshot;
  const cut = compaction ? cutOf(messagesIn(transcript), transcript.pending, compaction) : 0;
  if (!compaction || cut === 0) return 'none';
  const plan: CompactionPlan = { cut, turnStart: turn.start.length };
  const asked = await ports.summarize(positionOf(state), compaction.model ?? modelOfTurn(state), plan);
  if (asked.status === 'cancelled') return 'cancelled';
  if (asked.status === 'failed') {
    turn.uncompactable = true;
    const text = cutText(asked.message, MAX_TOLD_BYTES);
    ports.fact({ type: 'compaction_failed', ...positionOf(state), reason: asked.reason, text });
    return 'none';
  }
  for (const spend of [turn.spend, run]) addSpend(spend, asked.result);
  compactTo(transcript, cut, asked.result);
  turn.start = startAfter(turn.start, cut, asked.result.turnStart);
  return 'compacted';
}

/** Makes room after the model has said that the context is too long: once in a turn, and never twice for the same. */
export async function compactAfterOverflow(state: LoopState, ports: LoopPorts, asked: ModelAnswer): Promise<Compacted> {
  const { turn, run } = state;
  if (!hasOverflowed(asked) || turn.overflowed || turn.uncompactable) return 'none';
  turn.overflowed = true;
  const compacted = await compact(state, ports);
  // An answer that broke off at the window's end is not taken in, but it is paid for.
  if (compacted === 'compacted' && asked.status === 'completed') {
    for (const spend of [turn.spend, run]) addSpend(spend, asked.result);
  }
  return compacted;
}

/**
 * The first message that stays as it is: always one of the model's, so that no result loses its call. As many stay as
 * fit into their part of the window; the newest answer stays in any case where its results wait to be sent.
 */
export function cutOf(
  messages: readonly Message[],
  pending: readonly Message[],
  { contextWindowTokens }: Compaction,
): number {
  const answersNewest = pending[0]?.content[0]?.type === 'result';
  let cut = messages.length;
  let tokens = 0;
  for (const [index, message] of [...messages.entries()].reverse()) {
    tokens += estimateTokens(message);
    if (message.role !== 'assistant') continue;
    const mustStay = answersNewest && cut === messages.length;
    if (tokens > contextWindowTokens * COMPACTION_KEEPS && !mustStay) break;
    cut = index;
  }
  return cut;
}

function hasOverflowed(asked: ModelAnswer): boolean {
  if (asked.status === 'failed') return asked.reason === 'context_overflow';
  return asked.status === 'completed' && asked.result.stopReason === 'context_overflow';
}

/** A turn that began before the cut can be forgotten only as far as the summary. */
function startAfter(start: Mark, cut: number, to: Omit<Mark, 'pending'>): Mark {
  return { ...to, pending: start.length >= cut ? start.pending : [] };
}

function messagesIn({ lines }: Transcript): Message[] {
  return lines.map((line) => JSON.parse(line) as Message);
}

function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateTokens(message), 0);
}
