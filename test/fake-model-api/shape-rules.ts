import { allBlocks, isObject, type StrictRule, type WireBlock } from './wire.ts';

const REQUEST_FIELDS = new Set(
  `model max_tokens messages cache_control container context_management diagnostics inference_geo mcp_servers metadata
  output_config output_format service_tier speed stop_sequences stream system temperature thinking tool_choice tools top_k
  top_p user_profile_id workspace_id`.split(/\s+/),
);

const BLOCK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ['text', 'citations', 'cache_control'],
  image: ['source', 'transformations', 'cache_control'],
  document: ['source', 'title', 'context', 'citations', 'cache_control'],
  search_result: ['source', 'title', 'content', 'citations', 'cache_control'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  tool_use: ['id', 'name', 'input', 'caller', 'toolset_name', 'cache_control'],
  tool_result: ['tool_use_id', 'content', 'is_error', 'toolset_name', 'cache_control'],
  server_tool_use: ['id', 'name', 'input', 'caller', 'cache_control'],
  mcp_tool_use: ['id', 'name', 'input', 'server_name', 'cache_control'],
  tool_reference: ['tool_name', 'cache_control'],
  browser_state: ['tabs', 'state_changes', 'cache_control'],
  container_upload: ['file_id', 'cache_control'],
};

const SERVER_RESULT =
  /^(web_search|web_fetch|code_execution|bash_code_execution|text_editor_code_execution|tool_search|mcp)_tool_result$/;
const SERVER_RESULT_FIELDS = ['tool_use_id', 'content', 'is_error', 'caller', 'cache_control'];

/** The body has the fields that a request must have, in their types, and no others. */
export const requestShape: StrictRule = (request) => {
  if (!isObject(request)) return 'Input should be a valid dictionary';
  if (typeof request.model !== 'string' || request.model === '') return 'model: Field required';
  if (!Number.isInteger(request.max_tokens) || request.max_tokens < 1) return 'max_tokens: must be a positive integer';
  if (!Array.isArray(request.messages) || request.messages.length === 0)
    return 'messages: at least one message is required';
  if (request.tools !== undefined && !Array.isArray(request.tools)) return 'tools: Input should be a valid list';
  const extra = Object.keys(request).find((field) => !REQUEST_FIELDS.has(field));
  if (extra !== undefined) return `${extra}: Extra inputs are not permitted`;
  const at = request.messages.findIndex((message) => !isMessage(message));
  return at === -1 ? undefined : `messages.${at}: Input should be a message with \`role\` and \`content\``;
};

function isMessage(message: unknown): boolean {
  if (!isObject(message) || Object.keys(message).some((field) => field !== 'role' && field !== 'content')) return false;
  if (!['user', 'assistant', 'system'].includes(String(message['role']))) return false;
  const content = message['content'];
  if (typeof content === 'string') return true;
  return Array.isArray(content) && content.every((block) => isObject(block) && typeof block['type'] === 'string');
}

/** Every block is of a known type and has no field that the type does not have. */
export const blockShape: StrictRule = ({ messages }) => {
  for (const block of allBlocks(messages)) {
    const fields = SERVER_RESULT.test(block.type) ? SERVER_RESULT_FIELDS : BLOCK_FIELDS[block.type];
    if (!fields) return `messages: Input tag '${block.type}' does not match any of the expected tags`;
    const extra = Object.keys(block).find((field) => field !== 'type' && !fields.includes(field));
    if (extra !== undefined) return `messages: ${block.type}.${extra}: Extra inputs are not permitted`;
    if (isThinkingWithoutSignature(block)) return `messages: thinking.signature: Field required`;
  }
  return undefined;
};

function isThinkingWithoutSignature(block: WireBlock): boolean {
  return block.type === 'thinking' && typeof block['signature'] !== 'string';
}
