import { isObject, type WireBlock } from './wire.ts';

/** How fast an answer comes. All numbers in milliseconds. */
interface Pace {
  readonly delay_before_headers_ms?: number;
  readonly delay_between_events_ms?: number;
  /** Time between two `ping` events while a stream hangs. */
  readonly pings_every_ms?: number;
}

/** A whole answer of the model: sent as JSON, or as events where the request asks for a stream. */
export interface MessageAnswer extends Pace {
  readonly type: 'message';
  readonly id?: unknown;
  readonly role?: unknown;
  readonly model?: unknown;
  readonly content: readonly WireBlock[];
  readonly stop_reason: string | null;
  readonly stop_sequence?: unknown;
  readonly stop_details?: unknown;
  readonly usage?: unknown;
}

/** An HTTP answer of any kind, sent as it is, whatever the request asked for. */
export interface HttpAnswer extends Pace {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a string as it is. */
  readonly body?: unknown;
}

/** One server-sent event. */
export interface SseEvent {
  readonly event: string;
  /** An object is sent as JSON, a string as it is. */
  readonly data: unknown;
}

/** How a stream's bytes leave the server; the default is one write for each event, lines ended by `\n`. */
interface SseLayout {
  readonly line_end?: '\n' | '\r\n' | '\r';
  /** Raw frames, each written after the event with the number `after` (0-based). */
  readonly insert?: readonly { readonly after: number; readonly raw: string }[];
  /** The stream is cut in writes of this many bytes, without regard for the borders of characters. */
  readonly cut_every_bytes?: number;
}

/** How a stream ends: properly, by a reset of the connection, or not at all. */
export type StreamEnd = 'close' | 'reset' | 'hang';

/** A stream given event by event. A request without `stream` gets the same message as JSON where it is whole. */
export interface SseAnswer extends Pace, SseLayout {
  readonly sse_events: readonly SseEvent[];
  readonly end?: StreamEnd;
}

/** A stream given as its bytes, each text one piece in base64. */
export interface RawSseAnswer extends Pace, Pick<SseLayout, 'cut_every_bytes'> {
  readonly sse_raw_base64_chunks_of: readonly string[];
  readonly end?: StreamEnd;
}

/** The connection is reset and no byte of an answer is sent. */
interface ResetAnswer extends Pace {
  readonly connection: 'reset_before_headers';
}

/** One answer to one request. */
export type Answer = MessageAnswer | HttpAnswer | SseAnswer | RawSseAnswer | ResetAnswer;

/** An entry of the list of answers: an answer, or a rule that gives one or several. */
export type ScriptEntry =
  | Answer
  | { readonly repeat: number; readonly response: ScriptEntry }
  | { readonly cycle: readonly ScriptEntry[]; readonly times: number }
  | { readonly for: 'child'; readonly response: ScriptEntry }
  | { readonly then_by_state: readonly StateBranch[] };

/** One way on: taken where all of `when` hold for the request that was just seen; without `when` always. */
export interface StateBranch {
  readonly when?: readonly { readonly path: string; readonly op: string; readonly value?: unknown }[];
  readonly response: Answer;
}

/** True for an answer that is a whole message. */
export function isMessageAnswer(answer: unknown): answer is MessageAnswer {
  return isObject(answer) && answer['type'] === 'message' && !('status' in answer);
}

/** An answer of the API's error form. */
export function errorAnswer(status: number, type: string, message: string, requestId: string): HttpAnswer {
  return { status, body: { type: 'error', error: { type, message }, request_id: requestId } };
}
