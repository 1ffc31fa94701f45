import type { JsonObject, JsonValue } from '../protocol/messages.ts';
import type { ToolSpec } from '../protocol/snapshot.ts';

/** A tool that a question names, with the input that the question gives it. */
export interface NamedCall {
  readonly index: number;
  readonly name: string;
  readonly input: JsonObject;
}

/** Tools that the demo model has rules for; the others are called when a question names them. */
export const KNOWN_TOOLS: readonly string[] = ['get_time', 'add_numbers', 'get_weather'];

/** The tools, other than the known ones, that a question names: `roll_dice` or `roll dice`. */
export function namedCalls(question: string, tools: readonly ToolSpec[]): readonly NamedCall[] {
  return tools.flatMap((tool) => {
    if (KNOWN_TOOLS.includes(tool.name)) return [];
    const words = tool.name.split(/[_-]+/).filter((word) => word !== '');
    const match = new RegExp(`\\b${words.join('[_\\s-]+')}\\b`, 'i').exec(question);
    if (match === null || words.length === 0) return [];
    const rest = question.slice(match.index + match[0].length);
    return [{ index: match.index, name: tool.name, input: jsonIn(rest) ?? inputFrom(rest, tool) }];
  });
}

function jsonIn(text: string): JsonObject | undefined {
  const json = /\{.*\}/s.exec(text)?.[0];
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json) as JsonObject;
  } catch {
    // Braces that are no JSON are words like any others.
    return undefined;
  }
}

/** Fills the schema's properties in their order: numbers with the numbers of the text, texts with its quoted parts. */
function inputFrom(text: string, tool: ToolSpec): JsonObject {
  const quoted = [...text.matchAll(/["“'‘]([^"”'’]+)["”'’]/g)].map(([, inner = '']) => inner);
  const numbers = [...text.matchAll(/-?\d+(?:\.\d+)?/g)].map(([digits]) => Number(digits));
  const input: Record<string, JsonValue> = {};
  for (const [name, schema] of Object.entries((tool.input_schema['properties'] ?? {}) as JsonObject)) {
    const value = takeFor((schema as JsonObject)['type'], quoted, numbers);
    if (value !== undefined) input[name] = value;
  }
  return input;
}

function takeFor(type: JsonValue | undefined, quoted: string[], numbers: number[]): JsonValue | undefined {
  if (type === 'string') return quoted.shift();
  return type === 'number' || type === 'integer' ? numbers.shift() : undefined;
}
