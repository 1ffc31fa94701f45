import { isOfSummary } from '../protocol/activities.ts';
import { cutText } from '../protocol/json.ts';
import { COMPACTION_FREES, COMPACTION_KEEPS, COMPACTION_STARTS_AT } from '../protocol/limits.ts';
import type { Message } from '../protocol/messages.ts';
import { CHARS_PER_TOKEN, estimateTokens } from '../protocol/tokens.ts';
import {
  type CompactionPlan,
  type LoopPorts,
  type LoopState,
  type ModelAnswer,
  modelOfTurn,
  positionOf,
} from './loop-ports.ts';
import { compactTo, type Mark, type Transcript } from './transcript.ts';
import { pay } from './turn.ts';

/** What became of a compaction. `none`: there is nothing to make short, or no summary could be had. */
type Compacted = 'compacted' | 'none' | 'cancelled';

/** A fact stays small beside others in its batch. */
const MAX_TOLD_BYTES = 400;

/** Whether the next model call would come near the model's window, and a summary would make room. */
export function contextIsFull({ snapshot, transcript, turn }: LoopState): boolean {
  const { compaction } = snapshot;
  if (!compaction || turn.uncompactable) return false;
  const { tokens, pending } = transcript;
  if (tokens + tokensOf(pending) < compaction.contextWindowTokens * COMPACTION_STARTS_AT) return false;
  const messages = messagesIn(transcript);
  const window = estimateOf(compaction.contextWindowTokens, transcript, messages);
  return freedBy(messages, cutOf(messages, pending, window)) >= window * COMPACTION_FREES;
}

/** Asks for a summary of the older messages and goes on in the next context. */
export function compact(state: LoopState, ports: LoopPorts): Promise<Compacted> {
  return compactInto(state, ports, state.snapshot.compaction?.contextWindowTokens ?? 0);
}

/** Whether the model has said that the context is too long, for the first time in the turn. */
export function mayMakeRoom({ snapshot, turn }: LoopState, asked: ModelAnswer): boolean {
  return snapshot.compaction !== undefined && !turn.overflowed && hasOverflowed(asked);
}

/** Makes room after the model has said that the context is too long, also where no summary could be had before. */
export function compactAfterOverflow(state: LoopState, ports: LoopPorts): Promise<Compacted> {
  const { snapshot, transcript, turn } = state;
  turn.overflowed = true;
  // The model's window is no larger than what it has just refused, whatever the agent says.
  const refusedTokens = transcript.tokens + tokensOf(transcript.pending);
  return compactInto(state, ports, Math.min(snapshot.compaction?.contextWindowTokens ?? 0, refusedTokens));
}

/** Asks the summary's own model, and the turn's where that one has none. History is told of each that has none. */
async function compactInto(state: LoopState, ports: LoopPorts, contextWindowTokens: number): Promise<Compacted> {
  const { snapshot, transcript, turn } = state;
  const messages = messagesIn(transcript);
  const cut = cutOf(messages, transcript.pending, estimateOf(contextWindowTokens, transcript, messages));
  if (freedBy(messages, cut) === 0) return 'none';
  const plan: CompactionPlan = { cut, turnStart: turn.start.length };
  for (const model of new Set([snapshot.compaction?.model ?? modelOfTurn(state), modelOfTurn(state)])) {
    const asked = await ports.summarize(positionOf(state), model, plan);
    if (asked.status === 'cancelled') return 'cancelled';
    if (asked.status === 'completed') {
      pay(state, asked.result);
      compactTo(transcript, cut, asked.result);
      turn.start = startAfter(turn.start, cut, asked.result.turnStart);
      turn.uncompactable = false;
      return 'compacted';
    }
    const text = cutText(asked.message, MAX_TOLD_BYTES);
    ports.fact({ type: 'compaction_failed', ...positionOf(state), reason: asked.reason, text });
  }
  turn.uncompactable = true;
  return 'none';
}

/**
 * The first message that stays as it is: always one of the model's, so that no result loses its call. As many stay as
 * fit into their part of the window, in estimated tokens; the newest answer stays in any case where its results wait to
 * be sent.
 */
export function cutOf(messages: readonly Message[], pending: readonly Message[], windowTokens: number): number {
  const answersNewest = pending[0]?.content[0]?.type === 'result';
  let cut = messages.length;
  let tokens = 0;
  for (const [index, message] of [...messages.entries()].reverse()) {
    tokens += estimateTokens(message);
    if (message.role !== 'assistant') continue;
    const mustStay = answersNewest && cut === messages.length;
    if (tokens > windowTokens * COMPACTION_KEEPS && !mustStay) break;
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

/** Estimated tokens that a summary of the messages before `cut` stands for. One that is there already grows no shorter. */
function freedBy(messages: readonly Message[], cut: number): number {
  const first = messages[0]?.content[0];
  return tokensOf(messages.slice(first && isOfSummary(first) ? 1 : 0, cut));
}

/**
 * A number of tokens as the estimate has it. The provider may have counted a multiple: most scripts take more tokens than
 * English for the same characters.
 */
function estimateOf(tokens: number, transcript: Transcript, messages: readonly Message[]): number {
  const estimated = transcript.head.length / CHARS_PER_TOKEN + tokensOf(messages);
  return tokens / Math.max(1, transcript.tokens / estimated);
}

function messagesIn({ lines }: Transcript): Message[] {
  return lines.map((line) => JSON.parse(line) as Message);
}

function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateTokens(message), 0);
}
