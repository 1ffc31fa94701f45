// Neutral messages → the body of a Chat Completions request. The way back is in openai-compatible-answer.ts.

import { assertNever } from '../protocol/json.ts';
import type {
  AssistantBlock,
  CallBlock,
  DocumentBlock,
  ImageBlock,
  JsonObject,
  Message,
  UserBlock,
} from '../protocol/messages.ts';
import { dataUrl, documentName, documentText, markedResultText, resultMedia } from './flat-result.ts';
import type { ModelRequest } from './model-adapter.ts';
import { checkedTools, OUTPUT_NAME, toFunction } from './openai-tools.ts';
import { withOutputSchema } from './output-instruction.ts';
import { withUserLast } from './user-last.ts';
import { wellFormed } from './well-formed.ts';
import { wireIds } from './wire-ids.ts';
import { wireName } from './wire-names.ts';

/** Longer ids of calls are refused. */
const MAX_ID_CHARS = 40;
/** Services that refuse a call without the reasoning that led to it, also where another model made it without any. */
const WANT_REASONING: ReadonlySet<string> = new Set(['deepseek']);
/** Services that can be held to JSON, and not to a schema. */
const WITHOUT_SCHEMAS: ReadonlySet<string> = new Set(['deepseek']);

/** What the messages of one conversation have in common. */
interface Conversation {
  readonly provider: string;
  idOf(callId: string): string;
}

/** The whole body: valid by the rules of this wire for any valid transcript, and the same bytes for the same request. */
export function toChatRequest(request: ModelRequest, provider: string): JsonObject {
  const options = request.modelOptions ?? {};
  const functions = request.tools.map((tool) => ({ type: 'function', function: toFunction(tool) }));
  const tools = checkedTools([...functions, ...(request.providerTools ?? [])]);
  const { format, instructions } = outputOf(request, provider);
  return wellFormed({
    stream_options: { include_usage: true },
    ...(format && { response_format: format }),
    ...(options['max_completion_tokens'] === undefined && { max_tokens: request.maxOutputTokens }),
    ...options,
    model: request.model,
    stream: true,
    ...(tools !== undefined && { tools }),
    messages: [
      ...(instructions.trim() === '' ? [] : [{ role: 'system', content: instructions }]),
      ...toChatMessages(withUserLast(request.messages), provider),
    ],
  });
}

/** How the answer is held to its schema, where the request has one. */
function outputOf(
  { output, instructions }: ModelRequest,
  provider: string,
): { format?: JsonObject; instructions: string } {
  if (output === undefined) return { instructions };
  if (WITHOUT_SCHEMAS.has(provider)) {
    return { format: { type: 'json_object' }, instructions: withOutputSchema(instructions, output) };
  }
  const json_schema = { name: OUTPUT_NAME, schema: output, strict: false };
  return { format: { type: 'json_schema', json_schema }, instructions };
}

/** Messages in this wire's form: each result a message of its own, before what the user says; ids legal. */
export function toChatMessages(messages: readonly Message[], provider: string): JsonObject[] {
  const conversation = { provider, idOf: wireIds(messages, MAX_ID_CHARS) };
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? assistantMessage(message.content, conversation)
      : userMessages(message.content, conversation),
  );
}

function assistantMessage(blocks: readonly AssistantBlock[], conversation: Conversation): JsonObject[] {
  const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const calls = blocks.filter((block) => block.type === 'call').map((block) => toToolCall(block, conversation));
  if (text.trim() === '' && calls.length === 0) return [];
  const extras = blocks.flatMap((block) =>
    block.type === 'opaque' && block.provider === conversation.provider
      ? Object.entries(block.value as JsonObject)
      : [],
  );
  const wanted: JsonObject =
    calls.length > 0 && WANT_REASONING.has(conversation.provider) ? { reasoning_content: '' } : {};
  const content = text.trim() === '' ? null : text;
  const called: JsonObject = calls.length > 0 ? { tool_calls: calls } : {};
  return [{ role: 'assistant', content, ...wanted, ...Object.fromEntries(extras), ...called }];
}

function toToolCall({ callId, name, input, meta }: CallBlock, { provider, idOf }: Conversation): JsonObject {
  const { rest = {}, arguments: written = JSON.stringify(input) } = (meta?.[provider] as JsonObject | undefined) ?? {};
  const called = { name: wireName(name), arguments: written };
  return { id: idOf(callId), type: 'function', function: called, ...(rest as JsonObject) };
}

/** The wire takes text only as a result; pictures and files follow as if the user had shown them. */
function userMessages(blocks: readonly UserBlock[], { idOf }: Conversation): JsonObject[] {
  const results = blocks.filter((block) => block.type === 'result');
  const tools = results.map((result) => {
    return { role: 'tool', tool_call_id: idOf(result.callId), content: markedResultText(result) };
  });
  const shown = results.flatMap((result) => {
    const media = resultMedia(result).map(mediaPart);
    return media.length > 0 ? [{ type: 'text', text: `Shown by call ${idOf(result.callId)}:` }, ...media] : [];
  });
  const parts = [...shown, ...blocks.flatMap(toUserPart)];
  return parts.length > 0 ? [...tools, { role: 'user', content: asTextOnly(parts) }] : tools;
}

function toUserPart(block: UserBlock): JsonObject[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [{ type: 'text', text: block.text }];
    case 'image':
    case 'document':
      return [mediaPart(block)];
    case 'result':
    case 'opaque':
      return []; // a result has a message of its own; nothing that a user says is opaque on this wire
    default:
      return assertNever(block);
  }
}

/** Not every server takes a list of parts where a text will do. */
function asTextOnly(parts: readonly JsonObject[]): string | readonly JsonObject[] {
  return parts.every(({ type }) => type === 'text') ? parts.map(({ text }) => text).join('\n\n') : parts;
}

function mediaPart(block: ImageBlock | DocumentBlock): JsonObject {
  if (block.type === 'image') return { type: 'image_url', image_url: { url: dataUrl(block) } };
  const text = documentText(block);
  if (text !== undefined) return { type: 'text', text };
  return { type: 'file', file: { filename: documentName(block), file_data: dataUrl(block) } };
}
