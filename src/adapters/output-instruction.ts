import type { JsonObject } from '../protocol/messages.ts';

/** The instructions with the schema of the final answer, for services that cannot be held to one. */
export function withOutputSchema(instructions: string, schema: JsonObject): string {
  const asked = `Give your final answer as JSON alone, with no other text. It must fit this JSON Schema:\n${JSON.stringify(schema)}`;
  return instructions.trim() === '' ? asked : `${instructions}\n\n${asked}`;
}
