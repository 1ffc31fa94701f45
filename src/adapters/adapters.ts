// The door `pawl/adapters`: the providers that Pawl speaks with, and what an adapter of your own needs. Without Temporal;
// an SDK is loaded with the first request of its provider.

export type { StopReason } from '../protocol/activities.ts';
export type { AssistantBlock, AssistantMessage, JsonObject, JsonValue, Message } from '../protocol/messages.ts';
export { NO_USAGE, type Usage } from '../protocol/run.ts';
export type { ToolSpec } from '../protocol/snapshot.ts';
export { type AnthropicOptions, createAnthropicAdapter } from './anthropic.ts';
export { type BedrockOptions, createBedrockAdapter } from './anthropic-bedrock.ts';
export { createFoundryAdapter, type FoundryOptions } from './anthropic-foundry.ts';
export { createVertexAdapter, type VertexOptions } from './anthropic-vertex.ts';
export type { AdapterFactories } from './by-name.ts';
export { createDemoAdapter } from './demo.ts';
export { finished, type WholeAnswer } from './finished.ts';
export { createGoogleAdapter, type GoogleOptions } from './google.ts';
export {
  type ModelAdapter,
  ModelError,
  type ModelErrorKind,
  type ModelErrorOptions,
  type ModelEvent,
  type ModelRequest,
} from './model-adapter.ts';
export { createOpenAiAdapter, type OpenAiOptions } from './openai.ts';
export { createOpenAiCompatibleAdapter, type OpenAiCompatibleOptions } from './openai-compatible.ts';
