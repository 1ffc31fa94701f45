// Neutral messages → the body of a Messages API request. The way back is in anthropic-blocks.ts.

import { assertNever } from '../protocol/json.ts';
import type {
  BlockMeta,
  DocumentBlock,
  JsonObject,
  JsonValue,
  Message,
  ResultBlock,
  ResultContent,
} from '../protocol/messages.ts';
import { isObject } from './answer-faults.ts';
import { type WireBlock, type WireMessage, withCacheMarks } from './anthropic-cache-marks.ts';
import { toAnthropicSchema } from './anthropic-output-schema.ts';
import { dropUnansweredServerCalls } from './anthropic-server-calls.ts';
import { ModelError, type ModelRequest } from './model-adapter.ts';
import { withOutputSchema } from './output-instruction.ts';
import { wellFormed } from './well-formed.ts';
import { wireIds } from './wire-ids.ts';
import { wireName } from './wire-names.ts';

/** The name under which blocks keep what only this provider understands. */
export const ANTHROPIC = 'anthropic';

/** A request's body. Fields of `modelOptions` stand beside these and never replace them. */
export interface WireRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream: true;
  readonly system?: readonly WireBlock[];
  readonly tools?: readonly WireBlock[];
  readonly output_config?: JsonObject;
  readonly messages: readonly WireMessage[];
}

/** A tool result must say something where it is an error, and tells the model more than nothing where it is none. */
const NO_OUTPUT = '(no output)';

/**
 * The whole body: valid by the service's rules for any valid transcript, and the same bytes for the same request. Throws
 * ModelError `invalid_request` for options that the service always refuses together.
 */
export function toWireRequest(request: ModelRequest): WireRequest {
  return withCacheMarks(toUnmarkedRequest(request), request.modelOptions?.['cache_control'] == null ? 0 : 1);
}

/** The same without cache marks of ours. */
export function toUnmarkedRequest(request: ModelRequest): WireRequest {
  const options = request.modelOptions ?? {};
  refuseForcedThinking(options);
  const tools: WireBlock[] = [...request.tools, ...(request.providerTools ?? [])].map((tool) => ({ ...tool }));
  const { config, instructions } = outputOf(request, options['output_config']);
  const body = {
    ...options,
    model: request.model,
    max_tokens: request.maxOutputTokens,
    stream: true as const,
    ...(config && { output_config: config }),
    tools: tools.length > 0 ? tools : undefined,
    system: isBlank(instructions) ? undefined : [{ type: 'text', text: instructions }],
    messages: toWireMessages(request.messages),
  };
  return wellFormed(body);
}

/** Manual thinking leaves the choice of tools to the model: https://platform.claude.com/docs/en/build-with-claude/extended-thinking */
function refuseForcedThinking({ thinking, tool_choice: choice }: JsonObject): void {
  const isForced = ['any', 'tool'].includes(String(Object(choice)['type']));
  if (!isForced || Object(thinking)['type'] !== 'enabled') return;
  const message = 'modelOptions: thinking that is enabled does not go with a tool_choice that forces a tool; drop one';
  throw new ModelError('invalid_request', message, { retryable: false });
}

/**
 * How the answer is held to its schema, where the request has one. Words and not a tool of our own stand in for a schema
 * that the service refuses: no tool may be forced beside thinking, and a strict one takes the same part of JSON Schema.
 */
function outputOf(
  { output, instructions }: ModelRequest,
  given: JsonValue | undefined,
): { config?: JsonObject; instructions: string } {
  if (output === undefined) return { instructions };
  const schema = toAnthropicSchema(output);
  if (schema === undefined) return { instructions: withOutputSchema(instructions, output) };
  return { config: { ...Object(given ?? {}), format: { type: 'json_schema', schema } }, instructions };
}

/** Messages in the service's form: nothing empty, roles alternate, results first, ids legal. */
export function toWireMessages(messages: readonly Message[]): WireMessage[] {
  const idOf = wireIds(messages);
  const wire = messages.map((message) => ({ role: message.role, content: toWireContent(message, idOf) }));
  return mergeRoles(dropUnansweredServerCalls(mergeRoles(wire))).map(resultsFirst);
}

function toWireContent(message: Message, idOf: (callId: string) => string): WireBlock[] {
  const blocks: readonly Message['content'][number][] = message.content;
  return blocks.map((block) => toWireBlock(block, message.role, idOf)).filter((block) => block !== undefined);
}

function resultsFirst(message: WireMessage): WireMessage {
  if (message.role === 'assistant') return message;
  const isResult = (block: WireBlock) => block.type === 'tool_result';
  const others = message.content.filter((block) => !isResult(block));
  return { ...message, content: [...message.content.filter(isResult), ...others] };
}

/** Undefined for what this provider cannot be shown. */
function toWireBlock(
  block: Message['content'][number],
  role: Message['role'],
  idOf: (callId: string) => string,
): WireBlock | undefined {
  switch (block.type) {
    case 'opaque':
      return block.provider === ANTHROPIC ? (block.value as JsonObject) : undefined;
    case 'call':
      return {
        type: 'tool_use',
        id: idOf(block.callId),
        name: wireName(block.name),
        input: block.input,
        ...kept(block.meta),
      };
    case 'result':
      return toToolResult(block, idOf);
    case 'text':
      return toContent(block);
    case 'image':
    case 'document':
      return role === 'user' ? toContent(block) : undefined; // the service takes neither from an assistant
    default:
      return assertNever(block);
  }
}

function toToolResult(block: ResultBlock, idOf: (callId: string) => string): WireBlock {
  const content = block.content.map(toContent).filter((part) => part !== undefined);
  return {
    type: 'tool_result',
    tool_use_id: idOf(block.callId),
    content: content.length > 0 ? content : [{ type: 'text', text: NO_OUTPUT }],
    ...(block.isError === true && { is_error: true }),
    ...kept(block.meta),
  };
}

function toContent(block: ResultContent): WireBlock | undefined {
  switch (block.type) {
    case 'text':
      return isBlank(block.text) ? undefined : { type: 'text', text: block.text, ...keptOfText(block.meta) };
    case 'image': {
      const source = { type: 'base64', media_type: block.mediaType, data: block.data };
      return { type: 'image', source, ...kept(block.meta) };
    }
    case 'document': {
      const title = block.title === undefined ? undefined : { title: block.title };
      return { type: 'document', source: documentSource(block), ...title, ...kept(block.meta) };
    }
    default:
      return assertNever(block);
  }
}

function documentSource(block: DocumentBlock): WireBlock {
  const isText = block.mediaType.startsWith('text/');
  return { type: isText ? 'text' : 'base64', media_type: isText ? 'text/plain' : block.mediaType, data: block.data };
}

/** The service refuses texts of white space only, also those that it wrote itself. */
function isBlank(text: string): boolean {
  return text.trim() === '';
}

function kept(meta: BlockMeta | undefined): JsonObject | undefined {
  return meta?.[ANTHROPIC] as JsonObject | undefined;
}

/** The file that a citation is from is told and not taken back: https://platform.claude.com/docs/en/api/messages/create */
function keptOfText(meta: BlockMeta | undefined): JsonObject | undefined {
  const own = kept(meta);
  const citations = own?.['citations'];
  if (!Array.isArray(citations)) return own;
  const taken = citations.map((citation) => {
    if (!isObject(citation)) return citation;
    const { file_id: _, ...rest } = citation;
    return rest;
  });
  return { ...own, citations: taken };
}

/** Leaves out what is empty and joins neighbours of one role. */
export function mergeRoles(messages: readonly WireMessage[]): WireMessage[] {
  const merged: WireMessage[] = [];
  for (const message of messages) {
    if (message.content.length === 0) continue;
    const last = merged.at(-1);
    if (last?.role !== message.role) merged.push(message);
    else merged[merged.length - 1] = { ...last, content: [...last.content, ...message.content] };
  }
  return merged;
}
