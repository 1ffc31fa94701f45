// Conversations that the service holds ("message threads"): https://platform.claude.com/docs/en/build-with-claude/message-threads

import { isDeepStrictEqual } from 'node:util';
import { type Answer, errorAnswer, type HttpAnswer, isMessageAnswer, type MessageAnswer } from './answers.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { blocksOf, isObject, messagesOf, type WireBlock, type WireMessage } from './wire.ts';

const BETA = 'message-threads-2026-08-12';
/** What a later request may not repeat, and what it may change. All else must stay as it was. */
const CREATE_ONLY = ['system', 'tools'];
const FREE = ['messages', 'thread', 'cache_control', 'stream'];

const STATUSES = {
  thread_already_continued: 400,
  thread_continue_in_flight: 400,
  thread_not_found: 404,
  thread_fingerprint_mismatch: 400,
  thread_unsupported_request: 400,
} as const;

/** What the service refuses a thread with. */
export type ThreadCode = keyof typeof STATUSES;

/** All of them. */
export const THREAD_CODES = Object.keys(STATUSES) as ThreadCode[];

type Body = Readonly<Record<string, unknown>>;

interface Held {
  /** The body of a request that would stand for the whole conversation. */
  readonly whole: Body;
  state: 'free' | 'in_flight' | 'continued';
}

/** One request in its thread. */
export interface ThreadTurn {
  /** The body as it would be without a thread; undefined where the request is refused. */
  readonly whole: unknown;
  readonly refusal?: { readonly answer: HttpAnswer } | { readonly complaint: string };
  /** The answer under an id that no other has. */
  named(answer: Answer): Answer;
  /** A whole message of the model has begun to leave. */
  answered(message: MessageAnswer): void;
  /** The answer has ended, in whatever way. */
  ended(): void;
}

/** What the service holds, and what it shall fail with. */
export class Threads {
  readonly #held = new Map<string, Held>();
  readonly #faults: { readonly of: 'create' | 'continue'; readonly code: ThreadCode }[] = [];

  /** Forgets all conversations, as the service does some minutes after their last request. */
  forget(): void {
    this.#held.clear();
  }

  /** Refuses the next request of a kind. */
  refuseNext(of: 'create' | 'continue', code: ThreadCode): void {
    this.#faults.push({ of, code });
  }

  /** Takes in a request; the strict rules are for what it stands for. */
  open({ body, headers, index }: RecordedRequest): ThreadTurn {
    const betas = String(headers['anthropic-beta'] ?? '').split(',');
    if (!isObject(body) || body['thread'] === undefined || !betas.includes(BETA)) return withoutThread(body);
    const { thread, ...rest } = body;
    const { type, previous_message_id: id } = isObject(thread) ? thread : {};
    const code = this.#forced(type);
    if (code !== undefined) return refused({ answer: errorOf(code, index) });
    if (type === 'create') return this.#turn(rest, index, undefined);
    if (type !== 'continue' || typeof id !== 'string') return refused({ complaint: 'thread: Input should be valid' });
    return this.#continue(rest, index, id);
  }

  #forced(type: unknown): ThreadCode | undefined {
    const at = this.#faults.findIndex(({ of }) => of === type);
    return at === -1 ? undefined : this.#faults.splice(at, 1)[0]?.code;
  }

  #continue(body: Body, index: number, id: string): ThreadTurn {
    const repeated = CREATE_ONLY.find((field) => body[field] !== undefined);
    if (repeated !== undefined) return refused({ complaint: `${repeated}: not allowed when continuing a thread` });
    if (!Array.isArray(body['messages'])) return refused({ complaint: 'messages: Field required' });
    const held = this.#held.get(id);
    if (!held) return refused({ answer: errorOf('thread_not_found', index) });
    if (held.state === 'in_flight') return refused({ answer: errorOf('thread_continue_in_flight', index) });
    if (held.state === 'continued') return refused({ answer: errorOf('thread_already_continued', index) });
    const fixed = [held.whole, body].map((each) => without(each, [...CREATE_ONLY, ...FREE]));
    if (!isDeepStrictEqual(fixed[0], fixed[1])) {
      return refused({ answer: errorOf('thread_fingerprint_mismatch', index) });
    }
    const messages = [...messagesOf(held.whole), ...messagesOf(body)];
    const whole = { ...held.whole, ...body, messages };
    return this.#turn(whole, index, held);
  }

  #turn(whole: Body, index: number, before: Held | undefined): ThreadTurn {
    const id = `msg_fake_${index}`;
    let isAnswered = false;
    if (before) before.state = 'in_flight';
    return {
      whole,
      named: (answer) => named(answer, id),
      answered: (message) => {
        isAnswered = true;
        if (!isStored(message)) return;
        const messages = withReply(messagesOf(whole), message.content);
        this.#held.set(id, { whole: { ...whole, messages }, state: 'free' });
      },
      ended: () => {
        if (before) before.state = isAnswered ? 'continued' : 'free';
      },
    };
  }
}

function withoutThread(whole: unknown): ThreadTurn {
  return { whole, named: (answer) => answer, answered: () => undefined, ended: () => undefined };
}

function refused(refusal: ThreadTurn['refusal']): ThreadTurn {
  return { ...withoutThread(undefined), refusal };
}

function errorOf(code: ThreadCode, index: number): HttpAnswer {
  const status = STATUSES[code];
  const type = status === 404 ? 'not_found_error' : 'invalid_request_error';
  const { body, ...rest } = errorAnswer(status, type, `Made up: ${code}.`, `req_fake_${index}`);
  const { error, ...around } = body as { readonly error: object };
  return { ...rest, body: { ...around, error: { ...error, details: { error_code: code } } } };
}

function without(body: Body, fields: readonly string[]): Body {
  return Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field)));
}

/** Neither refusals nor answers of a fallback model are stored. */
function isStored({ stop_reason, usage }: MessageAnswer): boolean {
  const iterations = isObject(usage) && Array.isArray(usage['iterations']) ? usage['iterations'] : [];
  return stop_reason !== 'refusal' && !iterations.some((each) => isObject(each) && each['type'] === 'fallback_message');
}

/** An answer after a paused one goes on with it. What the model left empty is nothing that a request may hold. */
function withReply(messages: readonly WireMessage[], reply: readonly WireBlock[]): readonly WireMessage[] {
  const said = reply.filter((block) => block.type !== 'text' || String(block.text).trim() !== '');
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [...messages, { role: 'assistant', content: said }];
  return [...messages.slice(0, -1), { role: 'assistant', content: [...blocksOf(last.content), ...said] }];
}

function named(answer: Answer, id: string): Answer {
  if (isMessageAnswer(answer)) return { ...answer, id };
  if (!('sse_events' in answer)) return answer;
  const events = answer.sse_events.map((event) => {
    const { data } = event;
    if (!isObject(data) || !isObject(data['message'])) return event;
    return { ...event, data: { ...data, message: { ...data['message'], id } } };
  });
  return { ...answer, sse_events: events };
}
