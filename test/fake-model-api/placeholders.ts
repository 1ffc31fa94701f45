/** Values for the placeholders of scripted answers, keyed by the text between the braces. */
export type Placeholders = Readonly<Record<string, string>>;

const PLACEHOLDER = /\{\{([^{}]+)\}\}/g;

/**
 * The same JSON value with all `{{…}}` in its texts and keys replaced: `{{n}}` by the running number,
 * `{{repeat:x:150000}}` by that many of that text, others by the given values. Throws where a value is missing.
 */
export function fillPlaceholders<T>(value: T, values: Placeholders, n = 1): T {
  return fill(value, (text) => text.replace(PLACEHOLDER, (_, name: string) => textFor(name, values, n))) as T;
}

function textFor(name: string, values: Placeholders, n: number): string {
  if (name === 'n') return String(n);
  const repeat = /^repeat:(.*):(\d+)$/s.exec(name);
  if (repeat) return (repeat[1] ?? '').repeat(Number(repeat[2]));
  const value = values[name];
  if (value === undefined) throw new Error(`no value given for the placeholder {{${name}}}`);
  return value;
}

function fill(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item) => fill(item, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [replace(key), fill(item, replace)]));
}
