// Loads in every realm; imports nothing. Plain JSON only: what is here travels through Temporal payloads.

/** A value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object, the only shape that a call's input may have on any provider's wire. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * What the provider of a block or message needs back verbatim, keyed by provider name (`anthropic`, `openai`, …).
 * Another provider ignores it.
 */
export type BlockMeta = Readonly<Record<string, JsonValue>>;

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  readonly meta?: BlockMeta;
}

/** An image by value. `data` is base64; allowed media types are those of {@link IMAGE_MEDIA_TYPES}. */
export interface ImageBlock {
  readonly type: 'image';
  readonly mediaType: string;
  readonly data: string;
  readonly meta?: BlockMeta;
}

/** A document by value (PDF or plain text). `data` is base64 for PDF and the text itself for `text/plain`. */
export interface DocumentBlock {
  readonly type: 'document';
  readonly mediaType: string;
  readonly data: string;
  readonly title?: string;
  readonly meta?: BlockMeta;
}

/** One tool invocation that the model asks for. */
export interface CallBlock {
  readonly type: 'call';
  /** Distinct over the whole context; the provider's own id wherever that is distinct. */
  readonly callId: string;
  /** The tool's wire name, as the model wrote it. It may name no tool at all. */
  readonly name: string;
  readonly input: JsonObject;
  /** Set when what the model sent is no JSON object: what it sent, cut to 1 KiB. `input` is then `{}`. */
  readonly malformed?: string;
  readonly meta?: BlockMeta;
}

/** Content that a tool may give back to the model. */
export type ResultContent = TextBlock | ImageBlock | DocumentBlock;

/** The answer to one {@link CallBlock}. `content` is never empty. */
export interface ResultBlock {
  readonly type: 'result';
  readonly callId: string;
  readonly content: readonly ResultContent[];
  readonly isError?: boolean;
  readonly meta?: BlockMeta;
}

/**
 * A block that only its own provider understands: thinking with its signature, a server tool's blocks, anything unknown.
 * It goes back to that provider deep-equal and in place; any other provider never sees it.
 */
export interface OpaqueBlock {
  readonly type: 'opaque';
  readonly provider: string;
  readonly value: JsonValue;
}

export type UserBlock = TextBlock | ImageBlock | DocumentBlock | ResultBlock | OpaqueBlock;
export type AssistantBlock = TextBlock | ImageBlock | DocumentBlock | CallBlock | OpaqueBlock;

export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly UserBlock[];
}

/** The whole content of a model's answer, in the model's order. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly AssistantBlock[];
  /** What the provider needs to know this answer by, such as its id in a conversation that the provider holds. */
  readonly meta?: BlockMeta;
}

/** One message of a transcript, in the provider-neutral form. */
export type Message = UserMessage | AssistantMessage;

/** What a person may say: text, or blocks without results. */
export type Prompt = string | readonly (TextBlock | ImageBlock | DocumentBlock)[];

/** Image types that every supported provider takes. */
export const IMAGE_MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** The calls of an assistant message, in the model's order. */
export function callsOf(message: AssistantMessage): readonly CallBlock[] {
  return message.content.filter((block) => block.type === 'call');
}

/** The texts of a message, joined without a separator, as the model wrote them. */
export function textOf(message: Message): string {
  return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** A user message from a prompt. Empty text blocks are left out, so the content may be empty; callers must check. */
export function userMessage(prompt: Prompt): UserMessage {
  const blocks = typeof prompt === 'string' ? [{ type: 'text' as const, text: prompt }] : prompt;
  return { role: 'user', content: blocks.filter((block) => block.type !== 'text' || block.text !== '') };
}
