// Conversations that Anthropic holds ("message threads", a beta), so that a request sends only what is new:
// https://platform.claude.com/docs/en/build-with-claude/message-threads. Which of them an answer belongs to stands in
// the transcript, in the answer's meta, and nowhere else: any worker can go on with it.

import { createHmac } from 'node:crypto';
import { assertNever } from '../protocol/json.ts';
import type { JsonObject, Message } from '../protocol/messages.ts';
import { isObject, nonEmptyText } from './answer-faults.ts';
import { withMovingMark } from './anthropic-cache-marks.ts';
import { lastMeta } from './anthropic-meta.ts';
import { mergeRoles, toWireMessages, type WireRequest } from './anthropic-request.ts';
import type { ModelEvent } from './model-adapter.ts';
import { wellFormed } from './well-formed.ts';

const BETA = 'message-threads-2026-08-12';

const UNSUPPORTED = 'thread_unsupported_request';
/** What the service refuses a thread with: https://platform.claude.com/docs/en/build-with-claude/message-threads */
const THREAD_CODES: ReadonlySet<string> = new Set([
  'thread_already_continued',
  'thread_continue_in_flight',
  'thread_not_found',
  'thread_fingerprint_mismatch',
  UNSUPPORTED,
]);

/** Enough of a hash to tell all conversations apart. */
const FINGERPRINT_CHARS = 22;

/** How a model call is put to the service. */
export type Way =
  /** Only what is new: the service holds the conversation up to the answer `id`. */
  | { readonly type: 'continue'; readonly id: string }
  /** The whole conversation, to be held from now on. */
  | { readonly type: 'create' }
  /** The whole conversation, as always: the service has said that it does not hold this one. */
  | { readonly type: 'unthreaded' };

/** A model call as it was put: the whole request, and the way. */
export interface Put {
  readonly body: WireRequest;
  readonly way: Way;
}

/** A request of a thread. */
export interface ThreadRequest extends WireRequest {
  readonly betas: readonly unknown[];
  readonly thread: { readonly type: 'create' } | { readonly type: 'continue'; readonly previous_message_id: string };
}

/** An answer, and what its stream says of it beside its content. */
export interface Answered extends Pick<Extract<ModelEvent, { type: 'finished' }>, 'message' | 'stopReason'> {
  readonly id: string | undefined;
  /** Another model stepped in on the service's side. */
  readonly isOfFallback: boolean;
}

/** The way to begin with. `body` is the whole request; `secret` is what fingerprints are made with. */
export function firstWay(messages: readonly Message[], body: WireRequest, secret: string): Way {
  const kept = keptIn(messages);
  if (kept === undefined) return { type: 'create' };
  if (kept === 'unsupported') return { type: 'unthreaded' };
  const held = { ...body, messages: body.messages.slice(0, heldOf(body)) };
  // What the service holds can't be changed there: a conversation that was changed here begins anew.
  const isHeld = kept.fingerprint === fingerprintOf(held, kept.id, secret);
  return isHeld ? { type: 'continue', id: kept.id } : { type: 'create' };
}

/** The way to try after a refusal; undefined where the refusal is not of the way but of the call. */
export function wayAfter(way: Way, error: unknown): Way | undefined {
  const code = codeIn(error);
  switch (way.type) {
    case 'continue':
      return THREAD_CODES.has(code) ? { type: 'create' } : undefined;
    case 'create':
      return code === UNSUPPORTED ? { type: 'unthreaded' } : undefined;
    case 'unthreaded':
      return undefined;
    default:
      return assertNever(way);
  }
}

/**
 * The request for a way with a thread. The service keeps instructions and tools of the request that created it, and
 * refuses one that repeats them; it marks nothing for its cache by itself.
 */
export function threadRequest(way: Exclude<Way, { type: 'unthreaded' }>, body: WireRequest): ThreadRequest {
  const { betas } = body as { readonly betas?: unknown };
  const beta = { betas: [...(Array.isArray(betas) ? betas : []), BETA] };
  if (way.type === 'create') return withMovingMark({ ...body, ...beta, thread: way });
  const { system: _, tools: __, messages, ...rest } = body;
  const thread = { type: 'continue', previous_message_id: way.id } as const;
  return withMovingMark({ ...rest, ...beta, messages: messages.slice(heldOf(body)), thread });
}

/** What the next call must know of an answer; undefined where the service does not hold what the transcript says. */
export function threadMeta({ way, body }: Put, answered: Answered, secret: string): JsonObject | undefined {
  if (way.type === 'unthreaded') return { thread: 'unsupported' };
  const { id, message } = answered;
  if (id === undefined || !isHeldAsSaid(answered)) return undefined;
  const messages = mergeRoles([...body.messages, ...wellFormed(toWireMessages([message]))]);
  return { thread: { id, fingerprint: fingerprintOf({ ...body, messages }, id, secret) } };
}

/** The service holds no refusal and no fallback's answer; of a call that is no JSON it holds what we can't know. */
function isHeldAsSaid({ message, stopReason, isOfFallback }: Answered): boolean {
  const isMalformed = message.content.some((block) => block.type === 'call' && block.malformed !== undefined);
  return stopReason !== 'refusal' && !isOfFallback && !isMalformed;
}

/** Number of messages that the service holds where it holds the last answer. */
function heldOf({ messages }: WireRequest): number {
  return messages.findLastIndex(({ role }) => role === 'assistant') + 1;
}

function keptIn(messages: readonly Message[]): { id: string; fingerprint: string } | 'unsupported' | undefined {
  const { thread } = lastMeta(messages);
  if (thread === 'unsupported') return thread;
  if (!isObject(thread)) return undefined;
  const [id, fingerprint] = [nonEmptyText(thread['id']), nonEmptyText(thread['fingerprint'])];
  return id === undefined || fingerprint === undefined ? undefined : { id, fingerprint };
}

/**
 * Stands for all that the service holds, and for all that must stay as it was. It is made with a secret, so that nobody
 * can write messages that make the service go on with a conversation of somebody else.
 */
function fingerprintOf(held: WireRequest, id: string, secret: string): string {
  const hash = createHmac('sha256', secret).update(JSON.stringify([id, held]));
  return hash.digest('base64url').slice(0, FINGERPRINT_CHARS);
}

/** The code of a refusal, from its body: https://platform.claude.com/docs/en/api/errors */
function codeIn(error: unknown): string {
  let value: unknown = error;
  for (const field of ['error', 'error', 'details', 'error_code']) value = Object(value)[field];
  return String(value);
}
