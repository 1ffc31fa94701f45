// All words of the case format: which the runner does, and which the product cannot do yet (the case is then skipped).
// A word that stands in no table is a fault of the case or of the runner, never something to pass over.

import { BEHAVIOURS } from './behaviours.ts';
import { BUILTINS } from './builtins.ts';
import type { Json } from './case-format.ts';
import { PROVIDER_WORDS } from './case-providers.ts';
import { EXPECT_STEERING, EXPECTATIONS } from './expectations.ts';
import { PROVIDER_TOOLS } from './provider-tools.ts';

/** Why a word cannot be done with this value, or undefined when it can. */
type Rule = (value: Json) => string | undefined;
/** Words that may stand in one place, each with its rule. */
export type Words = Readonly<Record<string, Rule>>;

const done: Rule = () => undefined;
const no =
  (what: string): Rule =>
  () =>
    `the product has no ${what}`;
const noWhen =
  (value: Json, what: string): Rule =>
  (actual) =>
    actual === value ? `the product has no ${what}` : undefined;

const APPROVALS = no('approvals');
const MCP = no('MCP servers');
const SUB_AGENTS = no('sub-agents');
const CONSOLE = no('console');
const ROOTED_TOOLS = no('built-in tool with a root folder');

function words(names: string, rule: Rule): Words {
  return Object.fromEntries(names.split(' ').map((name) => [name, rule]));
}

/** Keys of a case. */
export const TOP: Words = {
  ...words('id row kind source description notes strict_api settings input events model_responses tools expect', done),
  ...words('alternative_expect extra_responses_allowed skip_if then_by_state', done),
  ...words('setup_files setup_links', ROOTED_TOOLS),
  provider: (value) => (PROVIDER_WORDS.includes(String(value)) ? undefined : `the product has no adapter for ${value}`),
  mcp_servers: MCP,
  compaction_response: done,
};

/** Keys of `settings`. */
export const SETTINGS: Words = {
  ...words('model_attempts max_tokens thinking stream continue_as_new_after_events api_key max_iterations', done),
  ...words('loop_guard stream_idle_timeout_ms heartbeat_timeout_ms prompt_caching tool_result_cap_chars', done),
  ...words('shutdown_grace_ms server_tools compaction context_window_tokens', done),
  ...words('mcp_timeout_ms mcp_headers', MCP),
  sub_agents: noWhen('on', 'sub-agents'),
  ui_wait_ms: APPROVALS,
};

/** Keys of an answer that is no whole message. */
export const RESPONSE: Words = {
  ...words('status headers body sse_events end repeat response delay_before_headers_ms delay_between_events_ms', done),
  ...words(
    'connection cycle times then_by_state pings_every_ms sse_raw_base64_chunks_of cut_every_bytes line_end insert',
    done,
  ),
  for: SUB_AGENTS,
};

/** Keys of a tool. */
export const TOOL: Words = {
  ...words('name description input_schema behaviour idempotent retry via advertise poll', done),
  approval: APPROVALS,
  builtin: (role) =>
    Object.hasOwn(BUILTINS, String(role)) ? undefined : `the product has no built-in tool with the role ${role}`,
  initially: noWhen(false, 'tool list that changes'),
};

/** Values of `behaviour.do`. */
export const BEHAVIOUR: Words = {
  ...Object.fromEntries(Object.keys(BEHAVIOURS).map((name) => [name, done])),
  builtin: done,
};

/** Keys of an event. */
export const EVENT: Words = words(
  'on tool nth after_ms do text tool_use_id reason reconnect_after_ms with attempt until delta',
  done,
);

/** What an event may wait for. */
export const EVENT_ON: Words = {
  ...words('tool_started run_idle model_request', done),
  approval_requested: APPROVALS,
  subscriber_event: CONSOLE,
  stream_delta_published: CONSOLE,
};

/** What an event may do. */
export const EVENT_DO: Words = {
  ...words('kill_worker_and_restart cancel_run user_message sigterm_worker_then_start_new', done),
  ...words('approve deny', APPROVALS),
  ...words('drop_subscriber hold_until', CONSOLE),
};

/** Keys of `expect` and of `alternative_expect`. */
export const EXPECT: Words = {
  ...Object.fromEntries([...Object.keys(EXPECTATIONS), ...EXPECT_STEERING].map((name) => [name, done])),
  ...words('subscriber_view subscriber_duplicates console console_not_contains stream_events_have', CONSOLE),
  ...words('approvals_requested decisions', APPROVALS),
  ...words('files_absent', ROOTED_TOOLS),
  checks_parent: SUB_AGENTS,
  mcp: MCP,
};

/** Keys of an input. */
export const INPUT: Words = words('user after', done);

/** Values of `settings.server_tools`. */
export const SERVER_TOOL: Words = words(Object.keys(PROVIDER_TOOLS).join(' '), done);
/** Values of `settings.thinking`. */
export const THINKING: Words = words('on', done);
/** Values of `retry`. */
export const RETRY: Words = words('none', done);
/** Values of `after`. */
export const AFTER: Words = words('idle cancelled', done);
/** Conditions of `skip_if`. */
export const SKIP_IF: Words = { 'no builtin with this role': done };
