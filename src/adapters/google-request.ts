// Neutral messages → the body of a generateContent request. The way back is in google-parts.ts.

import { assertNever } from '../protocol/json.ts';
import {
  type AssistantBlock,
  type AssistantMessage,
  type BlockMeta,
  type CallBlock,
  callsOf,
  type DocumentBlock,
  type ImageBlock,
  type JsonObject,
  type Message,
  type ResultBlock,
  type UserBlock,
} from '../protocol/messages.ts';
import { isObject, nonEmptyText } from './answer-faults.ts';
import { documentText, resultMedia, resultText } from './flat-result.ts';
import { toGeminiSchema } from './google-output-schema.ts';
import { GOOGLE } from './google-parts.ts';
import type { ModelRequest } from './model-adapter.ts';
import { withOutputSchema } from './output-instruction.ts';
import { withUserLast } from './user-last.ts';
import { wellFormed } from './well-formed.ts';
import { wireName } from './wire-names.ts';

/** Dots and colons are legal here: https://ai.google.dev/api/caching#FunctionDeclaration */
const ILLEGAL_IN_NAMES = /[^a-zA-Z0-9_.:-]/g;
/** What the service takes in the place of a signature on a call that it did not make itself. */
const NO_SIGNATURE = 'skip_thought_signature_validator';
/**
 * Models that know no signatures, and give JSON only where they have no tools. All later ones refuse a first call
 * without a signature.
 */
const OLD_MODEL = /^(models\/)?gemini-[12](\.|-|$)/;

/** What one side says at once. */
interface Content extends JsonObject {
  readonly role: 'user' | 'model';
  readonly parts: readonly JsonObject[];
}

/** The whole body: valid by the service's rules for any valid transcript, and the same bytes for the same request. */
export function toGeminiRequest(request: ModelRequest): Record<string, unknown> {
  const options = request.modelOptions ?? {};
  const given = isObject(options['generationConfig']) ? options['generationConfig'] : {};
  const tools = [...declarations(request.tools), ...(request.providerTools ?? [])];
  const { format, instructions } = outputOf(request, tools);
  return wellFormed({
    ...options,
    generationConfig: { ...given, ...format, maxOutputTokens: request.maxOutputTokens },
    ...(tools.length > 0 && { tools }),
    ...(instructions.trim() !== '' && { systemInstruction: { parts: [{ text: instructions }] } }),
    contents: toContents(withUserLast(request.messages), request.model),
  });
}

/** How the answer is held to its schema, where the request has one. */
function outputOf(
  { model, output, instructions }: ModelRequest,
  tools: readonly JsonObject[],
): { format?: JsonObject; instructions: string } {
  if (output === undefined) return { instructions };
  if (tools.length > 0 && OLD_MODEL.test(model)) return { instructions: withOutputSchema(instructions, output) };
  const json = { responseMimeType: 'application/json' };
  const schema = toGeminiSchema(output);
  if (schema === undefined) return { format: json, instructions: withOutputSchema(instructions, output) };
  return { format: { ...json, responseJsonSchema: schema }, instructions };
}

/** Messages as contents: the results of an answer in one content, in the order of its calls; nothing empty. */
export function toContents(messages: readonly Message[], model: string): Content[] {
  const needsSignature = !OLD_MODEL.test(model);
  let calls: readonly CallBlock[] = [];
  const contents = messages.flatMap((message) => {
    if (message.role === 'user') return userContents(message.content, calls);
    calls = callsOf(message);
    return modelContent(message, needsSignature);
  });
  return joinAnswers(contents);
}

/** Answers that follow each other, as after a pause on another wire, are one: calls may stand after the user only. */
function joinAnswers(contents: readonly Content[]): Content[] {
  const joined: Content[] = [];
  for (const content of contents) {
    const last = joined.at(-1);
    if (last?.role !== 'model' || content.role !== 'model') joined.push(content);
    else joined[joined.length - 1] = { ...last, parts: [...last.parts, ...content.parts] };
  }
  return joined;
}

function declarations(tools: ModelRequest['tools']): readonly JsonObject[] {
  if (tools.length === 0) return [];
  // The field for JSON Schema: the other one knows a subset only.
  const functionDeclarations = tools.map(({ name, description, input_schema }) => {
    return { name, description, parametersJsonSchema: input_schema };
  });
  return [{ functionDeclarations }];
}

function modelContent({ content }: AssistantMessage, needsSignature: boolean): Content[] {
  const parts = content.flatMap(toModelPart);
  if (parts.length === 0) return [];
  return [{ role: 'model', parts: needsSignature ? signed(parts) : parts }];
}

/** The first call of an answer has a signature, or the word that stands for none. */
function signed(parts: readonly JsonObject[]): readonly JsonObject[] {
  const index = parts.findIndex((part) => 'functionCall' in part);
  const first = parts[index];
  if (first === undefined || nonEmptyText(first['thoughtSignature']) !== undefined) return parts;
  return parts.with(index, { ...first, thoughtSignature: NO_SIGNATURE });
}

function toModelPart(block: AssistantBlock): JsonObject[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [{ text: block.text, ...kept(block.meta, 'part') }];
    case 'call': {
      const functionCall = { name: geminiName(block), args: block.input, ...kept(block.meta, 'call') };
      return [{ functionCall, ...kept(block.meta, 'part') }];
    }
    case 'opaque':
      return block.provider === GOOGLE ? [block.value as JsonObject] : [];
    case 'image':
    case 'document':
      return [mediaPart(block)];
    default:
      return assertNever(block);
  }
}

/** Results have a content of their own: beside other parts the service miscounts them. */
function userContents(blocks: readonly UserBlock[], calls: readonly CallBlock[]): Content[] {
  const results = blocks.filter((block) => block.type === 'result');
  const answered = calls.flatMap((call) => {
    const result = results.find(({ callId }) => callId === call.callId);
    return result === undefined ? [] : [{ call, result }];
  });
  const responses = answered.map(({ call, result }) => responsePart(call, result));
  const shown = answered.flatMap(({ call, result }) => {
    const media = resultMedia(result).map(mediaPart);
    return media.length > 0 ? [{ text: `Shown by ${call.name}:` }, ...media] : [];
  });
  const others = [...shown, ...blocks.flatMap(toUserPart)];
  return [responses, others].filter((parts) => parts.length > 0).map((parts) => ({ role: 'user', parts }));
}

function geminiName({ name }: CallBlock): string {
  return wireName(name, ILLEGAL_IN_NAMES);
}

/** The call's own id goes back only where the service gave one. */
function responsePart(call: CallBlock, result: ResultBlock): JsonObject {
  const { id } = kept(call.meta, 'call');
  const response = { [result.isError === true ? 'error' : 'output']: resultText(result) };
  return { functionResponse: { ...(id !== undefined && { id }), name: geminiName(call), response } };
}

function toUserPart(block: UserBlock): JsonObject[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [{ text: block.text }];
    case 'image':
    case 'document':
      return [mediaPart(block)];
    case 'opaque':
      return block.provider === GOOGLE ? [block.value as JsonObject] : [];
    case 'result':
      return []; // in the content of results
    default:
      return assertNever(block);
  }
}

function mediaPart(block: ImageBlock | DocumentBlock): JsonObject {
  const text = block.type === 'document' ? documentText(block) : undefined;
  return text === undefined ? { inlineData: { mimeType: block.mediaType, data: block.data } } : { text };
}

function kept(meta: BlockMeta | undefined, of: 'part' | 'call'): JsonObject {
  const own = meta?.[GOOGLE];
  const fields = isObject(own) ? own[of] : undefined;
  return isObject(fields) ? fields : {};
}
