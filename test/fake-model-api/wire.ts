/** A content block of the Messages API, as loosely as it may arrive; the strict rules judge it. */
export interface WireBlock {
  readonly type: string;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly input?: unknown;
  readonly text?: unknown;
  readonly tool_use_id?: unknown;
  readonly content?: unknown;
  readonly is_error?: unknown;
  readonly source?: unknown;
  readonly [field: string]: unknown;
}

/** One message of a request. A string as content means one text block. */
export interface WireMessage {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string | readonly WireBlock[];
}

/** The body of `POST /v1/messages`; `requestShape` of the strict rules is what makes sure of these types. */
export interface WireRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly WireMessage[];
  readonly stream?: unknown;
  readonly system?: unknown;
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  readonly tool_choice?: { readonly type?: unknown };
  readonly thinking?: { readonly type?: unknown };
  readonly output_config?: unknown;
}

/** True for a JSON object: no list, not null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The blocks of a message or of a tool result; a string counts as one text block, anything odd as none. */
export function blocksOf(content: unknown): readonly WireBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isBlock) : [];
}

function isBlock(value: unknown): value is WireBlock {
  return isObject(value) && typeof value['type'] === 'string';
}

/** All blocks of a request's messages in order, those inside tool results included. */
export function allBlocks(messages: readonly WireMessage[]): readonly WireBlock[] {
  const top = messages.flatMap((message) => blocksOf(message.content));
  return top.flatMap((block) => (block.type === 'tool_result' ? [block, ...blocksOf(block.content)] : [block]));
}

/** The messages of any request body, or none where the body has no such list. */
export function messagesOf(body: unknown): readonly WireMessage[] {
  if (!isObject(body) || !Array.isArray(body['messages'])) return [];
  return body['messages'].filter(isObject) as unknown as readonly WireMessage[];
}

/** Number of `cache_control` marks: one of the request itself, and those anywhere in tools, system text and messages. */
export function countCacheMarks(body: unknown): number {
  if (!isObject(body)) return 0;
  const { tools, system, messages, cache_control } = body;
  return countMarks([{ cache_control }, tools, system, messages]);
}

function countMarks(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countMarks(item), 0);
  if (!isObject(value)) return 0;
  const own = isObject(value['cache_control']) ? 1 : 0;
  // A call's input and a tool's schema are free data: a field of that name there is no mark.
  const inner = Object.entries(value).filter(([key]) => key !== 'input' && key !== 'input_schema');
  return own + inner.reduce((sum, [, item]) => sum + countMarks(item), 0);
}

/** What a rule may know besides the request: the contents of the whole answers that the fake has sent, in order. */
export interface Past {
  readonly sent: readonly (readonly WireBlock[])[];
}

/** One reason for which the real API refuses a request: a complaint in its words, or undefined where all is well. */
export type StrictRule = (request: WireRequest, past: Past) => string | undefined;
