// Neutral messages → the body of a Responses API request. The way back is in openai-items.ts.

import { assertNever } from '../protocol/json.ts';
import type {
  AssistantBlock,
  BlockMeta,
  DocumentBlock,
  ImageBlock,
  JsonObject,
  JsonValue,
  Message,
  ResultBlock,
  TextBlock,
  UserBlock,
} from '../protocol/messages.ts';
import { isObject } from './answer-faults.ts';
import { dataUrl, documentName, documentText, markedResultText, resultMedia } from './flat-result.ts';
import type { ModelRequest } from './model-adapter.ts';
import { OPENAI } from './openai-items.ts';
import { toStrictSchema } from './openai-strict-schema.ts';
import { checkedTools, OUTPUT_NAME, toFunction } from './openai-tools.ts';
import { withUserLast } from './user-last.ts';
import { wellFormed } from './well-formed.ts';
import { wireIds } from './wire-ids.ts';
import { wireName } from './wire-names.ts';

/** Longer ids of calls are refused. */
const MAX_ID_CHARS = 64;
/** Models that do not reason refuse to be asked for their encrypted reasoning. */
const WITHOUT_REASONING = /^(ft:)?(gpt-3|gpt-4|chatgpt-4o|gpt-5-chat)/;
/** Models that refuse bounds in a strict schema. */
const FINE_TUNED = /^ft:/;
const ENCRYPTED_REASONING = 'reasoning.encrypted_content';

type IdOf = (callId: string) => string;

/** The whole body: valid by the service's rules for any valid transcript, and the same bytes for the same request. */
export function toResponsesRequest(request: ModelRequest): JsonObject {
  const options = request.modelOptions ?? {};
  const functions = request.tools.map((tool) => ({ type: 'function', ...toFunction(tool), strict: false }));
  const tools = checkedTools([...functions, ...(request.providerTools ?? [])]);
  const include = included(request.model, options['include']);
  return wellFormed({
    ...options,
    model: request.model,
    max_output_tokens: request.maxOutputTokens,
    stream: true,
    store: false,
    ...(include.length > 0 && { include }),
    ...(request.output && { text: textFormat(request.output, request.model, options['text']) }),
    ...(tools !== undefined && { tools }),
    ...(request.instructions.trim() !== '' && { instructions: request.instructions }),
    input: toInputItems(withUserLast(request.messages)),
  });
}

/** Messages as the service's input items: results first, each reasoning item before what it led to, ids legal. */
export function toInputItems(messages: readonly Message[]): JsonObject[] {
  const idOf = wireIds(messages, MAX_ID_CHARS);
  return messages.flatMap((message) =>
    message.role === 'assistant' ? assistantItems(message.content, idOf) : userItems(message.content, idOf),
  );
}

/** Strict where the schema can be said so, and asked for as it is where not; the answer is checked in any case. */
function textFormat(schema: JsonObject, model: string, given: JsonValue | undefined): JsonObject {
  const strict = FINE_TUNED.test(model) ? undefined : toStrictSchema(schema);
  const format = { type: 'json_schema', name: OUTPUT_NAME, schema: strict ?? schema, strict: strict !== undefined };
  return { ...(isObject(given) ? given : {}), format };
}

function included(model: string, asked: JsonValue | undefined): readonly JsonValue[] {
  const wanted = Array.isArray(asked) ? asked : [];
  if (WITHOUT_REASONING.test(model) || wanted.includes(ENCRYPTED_REASONING)) return wanted;
  return [...wanted, ENCRYPTED_REASONING];
}

function assistantItems(blocks: readonly AssistantBlock[], idOf: IdOf): JsonObject[] {
  const items = joinParts(blocks.flatMap((block) => toItem(block, idOf)));
  // The service refuses reasoning that led to nothing, as an answer that was cut in it leaves behind.
  const end = items.findLastIndex((item) => item['type'] !== 'reasoning') + 1;
  return items.slice(0, end);
}

function toItem(block: AssistantBlock, idOf: IdOf): JsonObject[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [textItem(block)];
    case 'call': {
      const { item = {}, arguments: written = JSON.stringify(block.input) } = kept(block.meta);
      const name = wireName(block.name);
      const call = { type: 'function_call', call_id: idOf(block.callId), name, arguments: written };
      return [{ ...call, ...(item as JsonObject) }];
    }
    case 'opaque':
      return block.provider === OPENAI ? [block.value as JsonObject] : [];
    case 'image':
    case 'document':
      return []; // the service takes neither from an assistant
    default:
      return assertNever(block);
  }
}

function textItem({ text, meta }: TextBlock): JsonObject {
  const { item, part } = kept(meta);
  if (!isObject(item)) return { role: 'assistant', content: text };
  const content = [{ type: 'output_text', text, ...(part as JsonObject) }];
  return { type: 'message', role: 'assistant', ...item, content };
}

/** The parts of one message item, which are blocks of their own in neutral form, in one item again. */
function joinParts(items: readonly JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    const isSame = last !== undefined && item['type'] === 'message' && last['type'] === 'message';
    if (!isSame || item['id'] === undefined || last['id'] !== item['id']) joined.push(item);
    else joined[joined.length - 1] = { ...last, content: [...partsOf(last), ...partsOf(item)] };
  }
  return joined;
}

function partsOf(item: JsonObject): readonly JsonValue[] {
  return Array.isArray(item['content']) ? item['content'] : [];
}

function userItems(blocks: readonly UserBlock[], idOf: IdOf): JsonObject[] {
  const results = blocks.filter((block) => block.type === 'result').map((block) => resultItem(block, idOf));
  const content = blocks.flatMap(toUserPart);
  return content.length > 0 ? [...results, { role: 'user', content }] : results;
}

function toUserPart(block: UserBlock): JsonObject[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [{ type: 'input_text', text: block.text }];
    case 'image':
    case 'document':
      return [mediaPart(block)];
    case 'result':
      return [];
    case 'opaque':
      return block.provider === OPENAI ? [block.value as JsonObject] : [];
    default:
      return assertNever(block);
  }
}

function resultItem(result: ResultBlock, idOf: IdOf): JsonObject {
  const text = markedResultText(result);
  const media = resultMedia(result).map(mediaPart);
  const output = media.length > 0 ? [{ type: 'input_text', text }, ...media] : text;
  return { type: 'function_call_output', call_id: idOf(result.callId), output };
}

function mediaPart(block: ImageBlock | DocumentBlock): JsonObject {
  if (block.type === 'image') return { type: 'input_image', detail: 'auto', image_url: dataUrl(block) };
  const text = documentText(block);
  if (text !== undefined) return { type: 'input_text', text };
  return { type: 'input_file', filename: documentName(block), file_data: dataUrl(block) };
}

function kept(meta: BlockMeta | undefined): JsonObject {
  return (meta?.[OPENAI] as JsonObject | undefined) ?? {};
}
