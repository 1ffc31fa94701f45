import type { JsonObject } from '../protocol/messages.ts';
import type { ToolSpec } from '../protocol/snapshot.ts';
import { ModelError } from './model-adapter.ts';

/** The service refuses a request with more. */
const MAX_TOOLS = 128;

/** The name that the service wants for the schema of an answer. */
export const OUTPUT_NAME = 'output';

/** A tool as both wires of OpenAI tell of it. */
export function toFunction({ name, description, input_schema }: ToolSpec): JsonObject {
  // The service refuses an object schema that does not name its properties.
  const parameters = { ...input_schema, properties: input_schema['properties'] ?? {} };
  return { name, description, parameters };
}

/** Undefined for an empty list. Throws ModelError `invalid_request`, not retryable, for more tools than are allowed. */
export function checkedTools(tools: readonly JsonObject[]): readonly JsonObject[] | undefined {
  if (tools.length > MAX_TOOLS) {
    const message = `The agent has ${tools.length} tools; this provider takes ${MAX_TOOLS}.`;
    throw new ModelError('invalid_request', message, { retryable: false });
  }
  return tools.length > 0 ? tools : undefined;
}
