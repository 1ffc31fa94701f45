import { imagesAreReal } from './image-rule.ts';
import { outputSchemaCompiles } from './output-schema-rule.ts';
import { blockShape, requestShape } from './shape-rules.ts';
import { thinkingIsUnchanged } from './thinking-rule.ts';
import {
  allBlocks,
  blocksOf,
  countCacheMarks,
  isObject,
  type Past,
  type StrictRule,
  type WireBlock,
  type WireMessage,
  type WireRequest,
} from './wire.ts';

const MAX_CACHE_MARKS = 4;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const CALL_ID = /^[a-zA-Z0-9_-]+$/;

/** Rule 1: every call of an assistant message has its result in the very next user message. */
const callsAreAnswered: StrictRule = ({ messages }) =>
  firstComplaint(messages, (message, at) => {
    const ids = idsOf(callsIn(message));
    const answered = new Set(resultsIn(messages[at + 1]).map((block) => block.tool_use_id));
    const open = ids.filter((id) => !answered.has(id));
    if (open.length === 0) return undefined;
    return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}`;
  });

/** Rule 2: every result names a call of the message before it, and no call is answered twice. */
const resultsNameCalls: StrictRule = ({ messages }) =>
  firstComplaint(messages, (message, at) => {
    const calls = new Set(idsOf(callsIn(messages[at - 1])));
    const stray = resultsIn(message).find((block) => !calls.delete(String(block.tool_use_id)));
    return (
      stray &&
      `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(stray.tool_use_id)}`
    );
  });

/** Rule 3: in a user message the results stand before any other block. */
const resultsComeFirst: StrictRule = ({ messages }) =>
  firstComplaint(messages, (message, at) => {
    const types = blocksOf(message.content).map((block) => block.type);
    const firstOther = types.findIndex((type) => type !== 'tool_result');
    if (firstOther === -1 || types.lastIndexOf('tool_result') < firstOther) return undefined;
    return `messages.${at}: \`tool_result\` blocks must come before any other content`;
  });

/** Rule 4: ids of calls are unique over the whole request, and of legal characters. */
const callIdsAreUnique: StrictRule = ({ messages }) => {
  const ids = idsOf(messages.flatMap((message) => [...callsIn(message), ...serverCallsIn(message)]));
  const illegal = ids.find((id) => !CALL_ID.test(id));
  if (illegal !== undefined) return `tool_use.id: String should match pattern '${CALL_ID.source}': ${illegal}`;
  const double = ids.find((id, at) => ids.indexOf(id) !== at);
  return double && `messages: \`tool_use\` ids must be unique: ${double}`;
};

/** Rule 5: the input of a call is a JSON object. */
const inputsAreObjects: StrictRule = ({ messages }) => {
  const calls = messages.flatMap((message) => [...callsIn(message), ...serverCallsIn(message)]);
  const bad = calls.find((block) => !isObject(block.input));
  return bad && `tool_use.input: Input should be a valid dictionary (${String(bad.id)})`;
};

/** Rule 6a: no text block is empty, and no message has white space as its only text. */
const textsAreNotEmpty: StrictRule = ({ messages, system }) => {
  const blocks = [...allBlocks(messages), ...blocksOf(system)];
  if (blocks.some((block) => block.type === 'text' && block.text === ''))
    return 'text content blocks must be non-empty';
  const blank = messages.some((message) => {
    const texts = blocksOf(message.content).filter((block) => block.type === 'text');
    return texts.length > 0 && texts.every((block) => String(block.text).trim() === '');
  });
  return blank ? 'messages: text content blocks must contain non-whitespace text' : undefined;
};

/** Rule 6b: no message is empty. */
const messagesAreNotEmpty: StrictRule = ({ messages }) =>
  firstComplaint(messages, (message, at) =>
    message.content.length === 0 ? `messages.${at}: ${message.role} messages must have non-empty content` : undefined,
  );

/** Rule 6c: a result that is an error has content. */
const errorResultsHaveContent: StrictRule = ({ messages }) => {
  const bare = messages
    .flatMap(resultsIn)
    .find((block) => block.is_error === true && blocksOf(block.content).length === 0);
  return bare && `tool_result: content cannot be empty if \`is_error\` is true (${String(bare.tool_use_id)})`;
};

/** Rule 7: names of tools are legal and unique, and so are the names in calls. */
const toolNamesAreLegal: StrictRule = ({ messages, tools = [] }) => {
  const names = tools.map((tool) => String(tool['name']));
  const called = messages.flatMap(callsIn).map((block) => String(block.name));
  const illegal = [...names, ...called].find((name) => !TOOL_NAME.test(name));
  if (illegal !== undefined) return `tools: name: String should match pattern '${TOOL_NAME.source}': ${illegal}`;
  const double = names.find((name, at) => names.indexOf(name) !== at);
  return double && `tools: Tool names must be unique: ${double}`;
};

/** Rule 8: at most four cache marks over tools, system text and messages. */
const cacheMarksAreFew: StrictRule = (request) => {
  const count = countCacheMarks(request);
  if (count <= MAX_CACHE_MARKS) return undefined;
  return `A maximum of ${MAX_CACHE_MARKS} blocks with cache_control may be provided. Found ${count}.`;
};

/**
 * Rule 10a: a server's call without its result stands only in the last assistant message,
 * and the user message after it holds results only.
 */
const openServerCallsAreLast: StrictRule = ({ messages }) => {
  const done = new Set(messages.flatMap(serverResultsIn).map((block) => block.tool_use_id));
  const last = messages.findLastIndex((message) => message.role === 'assistant');
  return firstComplaint(messages, (message, at) => {
    const open = serverCallsIn(message).find((block) => !done.has(block.id));
    if (!open) return undefined;
    const after = messages.slice(at + 1).flatMap((next) => blocksOf(next.content));
    if (at === last && after.every((block) => block.type === 'tool_result')) return undefined;
    return `messages.${at}: \`${open.type}\` ${String(open.id)} was found without a corresponding result block`;
  });
};

/** Rule 10b: a server's call never gets a plain result. */
const serverCallsGetNoPlainResult: StrictRule = ({ messages }) => {
  const plain = messages.flatMap(resultsIn).find((block) => String(block.tool_use_id).startsWith('srvtoolu'));
  return plain && `tool_result: unexpected id of a server tool: ${String(plain.tool_use_id)}`;
};

/** Rule 13: manual thinking does not go together with a forced choice of tool. */
const thinkingLeavesTheChoice: StrictRule = ({ thinking, tool_choice }) => {
  const forced = tool_choice?.type === 'any' || tool_choice?.type === 'tool';
  if (thinking?.type !== 'enabled' || !forced) return undefined;
  return 'Thinking may not be enabled when tool_choice forces tool use.';
};

const PAIR_RULES: readonly StrictRule[] = [
  callIdsAreUnique,
  serverCallsGetNoPlainResult,
  resultsNameCalls,
  resultsComeFirst,
  callsAreAnswered,
  openServerCallsAreLast,
];

/** All rules in the order in which they are tried; those before rely on no other, `requestShape` makes the rest safe. */
const RULES: readonly StrictRule[] = [
  requestShape,
  messagesAreNotEmpty,
  textsAreNotEmpty,
  inputsAreObjects,
  ...PAIR_RULES,
  errorResultsHaveContent,
  toolNamesAreLegal,
  cacheMarksAreFew,
  thinkingIsUnchanged,
  imagesAreReal,
  thinkingLeavesTheChoice,
  outputSchemaCompiles,
];

/** The first complaint of the real API about this request, or undefined where it would answer. */
export function complaintAbout(
  request: WireRequest,
  past: Past,
  unknownBlocks: 'refused' | 'allowed' = 'refused',
): string | undefined {
  const rules = unknownBlocks === 'refused' ? [...RULES, blockShape] : RULES;
  return firstOf(rules, request, past);
}

/** What is wrong with the pairing of calls and results alone. */
export function pairComplaint(messages: readonly WireMessage[]): string | undefined {
  return firstOf(PAIR_RULES, { model: '', max_tokens: 1, messages }, { sent: [] });
}

function firstOf(rules: readonly StrictRule[], request: WireRequest, past: Past): string | undefined {
  for (const rule of rules) {
    const complaint = rule(request, past);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

function firstComplaint(
  messages: readonly WireMessage[],
  judge: (message: WireMessage, at: number) => string | undefined,
): string | undefined {
  for (const [at, message] of messages.entries()) {
    const complaint = judge(message, at);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

function callsIn(message: WireMessage | undefined): readonly WireBlock[] {
  return blocksOf(message?.content).filter((block) => block.type === 'tool_use');
}

function resultsIn(message: WireMessage | undefined): readonly WireBlock[] {
  return blocksOf(message?.content).filter((block) => block.type === 'tool_result');
}

function serverCallsIn(message: WireMessage): readonly WireBlock[] {
  return blocksOf(message.content).filter((block) => ['server_tool_use', 'mcp_tool_use'].includes(block.type));
}

function serverResultsIn(message: WireMessage): readonly WireBlock[] {
  return blocksOf(message.content).filter((block) => block.type.endsWith('_tool_result'));
}

function idsOf(blocks: readonly WireBlock[]): readonly string[] {
  return blocks.map((block) => String(block.id));
}
