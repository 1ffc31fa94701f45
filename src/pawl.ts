// The door `pawl`: what a definition of agents and tools needs.

export { type Agent, type AgentDefinition, defineAgent } from './agents/agent.ts';
export { parseOutput } from './agents/parse-output.ts';
export type { JsonObject, JsonValue } from './protocol/messages.ts';
export type { Limits } from './protocol/run.ts';
export type { Effect, LoopGuard, ToolSpec } from './protocol/snapshot.ts';
export { content, image, pdf, type ToolContent } from './tools/content.ts';
export { DefinitionError } from './tools/definition-error.ts';
export { createHttpGet, type HttpGetOptions } from './tools/http-get.ts';
export { defineTool, type Tool, type ToolCall, type ToolDefinition, ToolError, type ToolLog } from './tools/tool.ts';
