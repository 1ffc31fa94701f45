import { isObject } from './wire.ts';

const WORDS = new Set(
  `type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength
  maxLength pattern example anyOf propertyOrdering default items minimum maximum`.split(/\s+/),
);

/** True where a schema uses a word that Gemini's own schema field does not know. */
export function breaksGeminiSubset(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  if (Object.keys(schema).some((word) => !WORDS.has(word))) return true;
  const { properties = {}, items, anyOf = [] } = schema;
  if (!isObject(properties) || !Array.isArray(anyOf)) return true;
  const inner = [...Object.values(properties), ...anyOf, ...(items === undefined ? [] : [items])];
  return inner.some(breaksGeminiSubset);
}
