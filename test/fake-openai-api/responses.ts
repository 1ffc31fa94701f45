// The Responses wire: what it refuses, and a whole response as the events of its stream.

import { isDeepStrictEqual } from 'node:util';
import { pieces } from './chat.ts';
import { outputSchemaComplaint } from './output-schema-rule.ts';
import { firstComplaint, frames, isJsonObjectText, type Json, LEGAL_NAME, objectsIn, type Wire } from './wire-fake.ts';

const MAX_ID_CHARS = 64;
const MAX_TOOLS = 128;
const USER_PARTS = ['input_text', 'input_image', 'input_file'];

/** The Responses API. */
export const responsesWire: Wire = { complaintAbout, toStream, toError };

function toError(status: number, message: string): Json {
  return {
    error: { message, type: status === 400 ? 'invalid_request_error' : 'server_error', code: null, param: null },
  };
}

function complaintAbout(body: Json, sent: readonly Json[]): string | undefined {
  const items = objectsIn(body['input']);
  if (items.length === 0) return 'input: must not be empty';
  return (
    firstComplaint(items, itemComplaint) ??
    pairsComplaint(items) ??
    reasoningComplaint(items, sent) ??
    toolsComplaint(body['tools']) ??
    formatComplaint(body['text'])
  );
}

function itemComplaint(item: Json): string | undefined {
  switch (item['type'] ?? 'message') {
    case 'message':
      return messageComplaint(item);
    case 'function_call':
      return callComplaint(item);
    case 'function_call_output':
      return outputComplaint(item['output']);
    default:
      return undefined;
  }
}

function messageComplaint({ role, content }: Json): string | undefined {
  if (typeof content === 'string') return content.trim() === '' ? 'a message is empty' : undefined;
  const parts = objectsIn(content);
  if (parts.length === 0) return 'a message is empty';
  return firstComplaint(parts, ({ type, text }) => {
    const isKnown = role === 'assistant' ? type !== 'input_text' : USER_PARTS.includes(String(type));
    if (!isKnown) return `part ${String(type)} in a message of ${String(role)}`;
    return type === 'input_text' && String(text).trim() === '' ? 'a text is empty' : undefined;
  });
}

function callComplaint({ call_id: id, name, arguments: written }: Json): string | undefined {
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_CHARS) return `bad call_id ${JSON.stringify(id)}`;
  if (!LEGAL_NAME.test(String(name))) return `bad name ${JSON.stringify(name)}`;
  return isJsonObjectText(written) ? undefined : 'arguments are no text with a JSON object';
}

function outputComplaint(output: unknown): string | undefined {
  if (typeof output === 'string') return output === '' ? 'an output is empty' : undefined;
  const parts = objectsIn(output);
  return parts.length > 0 && parts.every(({ type }) => USER_PARTS.includes(String(type))) ? undefined : 'a bad output';
}

function pairsComplaint(items: readonly Json[]): string | undefined {
  const calls = items.filter(({ type }) => type === 'function_call').map(({ call_id }) => call_id);
  const outputs = items.filter(({ type }) => type === 'function_call_output').map(({ call_id }) => call_id);
  if (new Set(calls).size < calls.length) return 'call ids are not unique';
  const open = calls.find((id) => !outputs.includes(id));
  if (open !== undefined) return `No tool output found for function call ${String(open)}.`;
  const stray = outputs.find((id) => !calls.includes(id));
  return stray === undefined ? undefined : `No tool call found for function call output ${String(stray)}.`;
}

/** Reasoning leads to something, and what it led to comes with it, exactly as it was sent. */
function reasoningComplaint(items: readonly Json[], sent: readonly Json[]): string | undefined {
  return firstComplaint([...items.entries()], ([index, item]) => {
    const id = String(item['id']);
    if (item['type'] === 'reasoning') {
      const next = items[index + 1];
      const leads = next !== undefined && next['role'] !== 'user' && next['type'] !== 'function_call_output';
      return leads ? undefined : `Item '${id}' of type 'reasoning' was provided without its required following item.`;
    }
    const output = sent
      .map((response) => objectsIn(response['output']))
      .find((all) => all.some((one) => one['id'] === id));
    const at = output?.findIndex((one) => one['id'] === id) ?? -1;
    const before = output?.[at - 1];
    if (before?.['type'] !== 'reasoning') return undefined;
    const isThere = isDeepStrictEqual(items[index - 1], before);
    return isThere
      ? undefined
      : `Item '${id}' was provided without its required 'reasoning' item '${String(before['id'])}'.`;
  });
}

function toolsComplaint(tools: unknown): string | undefined {
  if (tools === undefined) return undefined;
  const all = objectsIn(tools);
  if (all.length === 0 || all.length > MAX_TOOLS) return `${all.length} tools`;
  return firstComplaint(all, ({ type, name, strict }) => {
    if (type !== 'function') return undefined;
    if (!LEGAL_NAME.test(String(name))) return `bad name ${JSON.stringify(name)}`;
    return strict === false ? undefined : 'a strict tool needs a strict schema';
  });
}

function formatComplaint(text: unknown): string | undefined {
  const format: Json = Object(Object(text)['format']);
  return format['type'] === 'json_schema' ? outputSchemaComplaint(format) : undefined;
}

/** A response as events: text and arguments in small pieces, each item whole at its end, all at the very end. */
function toStream(response: Json): string {
  const { output, ...head } = response;
  const started = { ...head, status: 'in_progress', output: [] };
  const end = response['status'] === 'completed' ? 'response.completed' : `response.${String(response['status'])}`;
  return frames(
    { type: 'response.created', response: started },
    { type: 'response.in_progress', response: started },
    ...objectsIn(output).flatMap(itemEvents),
    { type: end, response },
  );
}

function itemEvents(item: Json, output_index: number): Json[] {
  const place = { output_index, item_id: item['id'] };
  const begun = item['type'] === 'function_call' ? { ...item, arguments: '' } : { ...item, content: [] };
  return [
    { type: 'response.output_item.added', output_index, item: item['type'] === 'reasoning' ? item : begun },
    ...pieces(item['arguments']).map((delta) => ({ type: 'response.function_call_arguments.delta', ...place, delta })),
    ...objectsIn(item['content']).flatMap((part, content_index) => partEvents(part, { ...place, content_index })),
    { type: 'response.output_item.done', output_index, item },
  ];
}

function partEvents(part: Json, place: Json): Json[] {
  const isRefusal = part['type'] === 'refusal';
  const type = isRefusal ? 'response.refusal.delta' : 'response.output_text.delta';
  return [
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    ...pieces(isRefusal ? part['refusal'] : part['text']).map((delta) => ({ type, ...place, delta })),
    { type: 'response.content_part.done', ...place, part },
  ];
}
