// The Chat Completions wire: what it refuses, and a whole completion as the chunks of its stream.

import { outputSchemaComplaint } from './output-schema-rule.ts';
import {
  firstComplaint,
  frames,
  isJsonObjectText,
  isObject,
  type Json,
  LEGAL_NAME,
  objectsIn,
  type Wire,
} from './wire-fake.ts';

const MAX_ID_CHARS = 40;
const MAX_TOOLS = 128;
const USER_PARTS = ['text', 'image_url', 'file'];
/** Pieces of a text or of arguments in the chunks of a stream. */
const PIECE_CHARS = 5;

/** Chat Completions as OpenAI keeps it. */
export const chatWire: Wire = {
  complaintAbout: (body) => complaintAboutChat(body) ?? schemaComplaint(body['response_format']),
  toStream: toChunks,
  toError,
};

/** The same as DeepSeek keeps it: the calls of a tool loop come with their reasoning, exactly as it was sent. */
export const deepSeekWire: Wire = {
  ...chatWire,
  complaintAbout: (body, sent) => complaintAboutChat(body) ?? reasoningComplaint(body, sent) ?? formatComplaint(body),
};

function toError(status: number, message: string): Json {
  return {
    error: { message, type: status === 400 ? 'invalid_request_error' : 'server_error', code: null, param: null },
  };
}

function complaintAboutChat(body: Json): string | undefined {
  const messages = objectsIn(body['messages']);
  if (messages.length === 0) return 'messages: must not be empty';
  return firstComplaint(messages, messageComplaint) ?? pairsComplaint(messages) ?? toolsComplaint(body['tools']);
}

function messageComplaint(message: Json): string | undefined {
  switch (message['role']) {
    case 'system':
    case 'developer':
      return isFilled(message['content']) ? undefined : 'a system message is empty';
    case 'user':
      return userComplaint(message['content']);
    case 'assistant':
      return assistantComplaint(message);
    case 'tool':
      return isFilled(message['content']) ? undefined : 'a tool message needs a text';
    default:
      return `unknown role ${JSON.stringify(message['role'])}`;
  }
}

function userComplaint(content: unknown): string | undefined {
  if (typeof content === 'string') return isFilled(content) ? undefined : 'a user message is empty';
  const parts = objectsIn(content);
  if (parts.length === 0) return 'a user message is empty';
  return firstComplaint(parts, (part) => {
    if (!USER_PARTS.includes(String(part['type']))) return `unknown part ${JSON.stringify(part['type'])}`;
    return part['type'] === 'text' && !isFilled(part['text']) ? 'a text part is empty' : undefined;
  });
}

function assistantComplaint({ content, tool_calls: calls }: Json): string | undefined {
  if (content !== null && content !== undefined && typeof content !== 'string') return 'assistant content is no text';
  if (calls === undefined) return isFilled(content) ? undefined : 'an assistant message is empty';
  if (objectsIn(calls).length === 0) return 'tool_calls is empty';
  return firstComplaint(objectsIn(calls), ({ id, type, function: called }) => {
    if (typeof id !== 'string' || id === '' || id.length > MAX_ID_CHARS) return `bad call id ${JSON.stringify(id)}`;
    if (type !== 'function' || !isObject(called)) return 'a call is no function call';
    if (!LEGAL_NAME.test(String(called['name']))) return `bad name ${JSON.stringify(called['name'])}`;
    return isJsonObjectText(called['arguments']) ? undefined : 'arguments are no text with a JSON object';
  });
}

/** Every call of an assistant message is answered by the tool messages right after it, and by nothing else. */
function pairsComplaint(messages: readonly Json[]): string | undefined {
  const seen = new Set<unknown>();
  let open = new Set<unknown>();
  for (const message of messages) {
    if (message['role'] === 'tool') {
      if (!open.delete(message['tool_call_id'])) return `no call for ${JSON.stringify(message['tool_call_id'])}`;
      continue;
    }
    if (open.size > 0) return `no answer to ${[...open].join(', ')}`;
    const ids = objectsIn(message['tool_calls']).map(({ id }) => id);
    if (new Set([...seen, ...ids]).size < seen.size + ids.length) return 'call ids are not unique';
    for (const id of ids) seen.add(id);
    open = new Set(ids);
  }
  return open.size > 0 ? `no answer to ${[...open].join(', ')}` : undefined;
}

function toolsComplaint(tools: unknown): string | undefined {
  if (tools === undefined) return undefined;
  const all = objectsIn(tools);
  if (all.length === 0 || all.length > MAX_TOOLS) return `${all.length} tools`;
  return firstComplaint(all, ({ type, function: called }) => {
    if (type !== 'function' || !isObject(called) || !LEGAL_NAME.test(String(called['name']))) return 'a bad tool';
    const schema = called['parameters'];
    return isObject(schema) && isObject(schema['properties']) ? undefined : 'parameters without properties';
  });
}

function schemaComplaint(format: unknown): string | undefined {
  const isSchema = isObject(format) && format['type'] === 'json_schema';
  return isSchema ? outputSchemaComplaint(format['json_schema']) : undefined;
}

function reasoningComplaint(body: Json, sent: readonly Json[]): string | undefined {
  return firstComplaint(objectsIn(body['messages']), (message) => {
    if (message['tool_calls'] === undefined) return undefined;
    if (typeof message['reasoning_content'] !== 'string') return 'reasoning_content is missing in a tool loop';
    const ids = JSON.stringify(objectsIn(message['tool_calls']).map(({ id }) => id));
    const own = sent
      .map(messageOf)
      .find((other) => ids === JSON.stringify(objectsIn(other['tool_calls']).map(({ id }) => id)));
    return own !== undefined && own['reasoning_content'] !== message['reasoning_content']
      ? 'reasoning_content was changed'
      : undefined;
  });
}

/** This service gives JSON only where the conversation speaks of it, and knows no schemas. */
function formatComplaint({ response_format: format, messages }: Json): string | undefined {
  if (!isObject(format)) return undefined;
  if (format['type'] !== 'json_object') return 'This response_format type is unavailable now';
  return /json/i.test(JSON.stringify(messages)) ? undefined : 'the prompt must contain the word json';
}

function messageOf(completion: Json): Json {
  const [choice] = objectsIn(completion['choices']);
  return choice !== undefined && isObject(choice['message']) ? choice['message'] : {};
}

/** A completion as chunks: reasoning, text and arguments in small pieces, ids in the first chunk of a call only. */
function toChunks(completion: Json): string {
  const [choice] = objectsIn(completion['choices']);
  const { tool_calls: calls, content, role: _, ...extras } = messageOf(completion);
  const head = { id: completion['id'], object: 'chat.completion.chunk', created: 1, model: completion['model'] };
  const chunk = (delta: Json, finish_reason: unknown = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }],
  });
  return frames(
    chunk({ role: 'assistant', content: '' }),
    ...Object.entries(extras).flatMap(([field, value]) =>
      typeof value === 'string' ? pieces(value).map((piece) => chunk({ [field]: piece })) : [chunk({ [field]: value })],
    ),
    ...pieces(content).map((piece) => chunk({ content: piece })),
    ...objectsIn(calls).flatMap((call, index) =>
      callDeltas(call, index).map((delta) => chunk({ tool_calls: [delta] })),
    ),
    chunk({}, choice?.['finish_reason']),
    ...(completion['usage'] === undefined ? [] : [{ ...head, choices: [], usage: completion['usage'] }]),
    '[DONE]',
  );
}

function callDeltas({ function: called, ...call }: Json, index: number): Json[] {
  const { name, arguments: written } = isObject(called) ? called : {};
  const first = { ...call, index, function: { name, arguments: '' } };
  return [first, ...pieces(written).map((piece) => ({ index, function: { arguments: piece } }))];
}

/** A text in small pieces; none for an empty one. */
export function pieces(text: unknown): string[] {
  return typeof text === 'string' ? (text.match(new RegExp(`[^]{1,${PIECE_CHARS}}`, 'gu')) ?? []) : [];
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
