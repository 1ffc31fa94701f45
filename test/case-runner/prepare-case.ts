import { createRegistry } from '../../src/tools/registry.ts';
import { fillPlaceholders, type Placeholders } from '../fake-model-api/placeholders.ts';
import { type CaseFile, isMap, type Json, type JsonMap } from './case-format.ts';
import { caseTools } from './case-tools.ts';
import type { Listener } from './listener.ts';

/** A case that is ready to be run. */
export interface PreparedCase {
  /** All placeholders are filled, but for those of the answers: the fake API fills them one by one. */
  readonly file: CaseFile;
  readonly placeholders: Placeholders;
  readonly apiKey: string;
  /** For a case with a tool that fetches. */
  readonly listener?: Listener;
  /** Gives the wire name of `server/tool` or `tool`. Throws for a tool that the case does not have. */
  readonly wireName: (tool: string) => string;
}

/** A marker that can be told from anything else. */
const DEFAULT_API_KEY = 'sk-ant-test-marker-0123456789';

/** The case as it stands, then each change that `repeat_with` asks for. */
export function variantsOf(raw: JsonMap): readonly JsonMap[] {
  const expect = isMap(raw['expect']) ? raw['expect'] : {};
  const changes = [expect['repeat_with'] ?? []].flat().filter(isMap);
  return [raw, ...changes.map((change) => changed(raw, change))];
}

/** Fills the placeholders of a case. Throws where one has no value. */
export function prepareCase(raw: JsonMap, listener?: Listener): PreparedCase {
  const answers = ['model_responses', 'extra_responses_allowed', 'then_by_state'];
  const untouched = Object.fromEntries(Object.entries(raw).filter(([key]) => answers.includes(key)));
  const spoken = Object.fromEntries(Object.entries(raw).filter(([key]) => !answers.includes(key)));
  const settings = raw['settings'] as CaseFile['settings'];
  const apiKey = settings?.api_key ?? DEFAULT_API_KEY;
  const placeholders = { api_key: apiKey, ...wireNamesOf(raw), ...listener?.placeholders };
  const file = { ...fillPlaceholders(spoken, placeholders), ...untouched } as unknown as CaseFile;
  return { file, placeholders, apiKey, listener, wireName: (tool) => wireNameOf(placeholders, tool) };
}

/** Top-level keys take the place of the case's own; settings are merged; `reversed` turns a list round. */
function changed(raw: JsonMap, change: JsonMap): JsonMap {
  const settings = { ...(raw['settings'] as JsonMap), ...(change['settings'] as JsonMap) };
  const others = Object.entries(change).map(([key, value]) => [key, value === 'reversed' ? reversed(raw[key]) : value]);
  return { ...raw, ...Object.fromEntries(others), settings };
}

function reversed(value: Json | undefined): Json {
  return Array.isArray(value) ? value.toReversed() : (value ?? null);
}

function wireNamesOf(raw: JsonMap): Placeholders {
  const specs = raw['tools'] as unknown as CaseFile['tools'];
  const tools = caseTools({ tools: specs, settings: {}, allowPrivate: [] }, () => undefined);
  const registry = createRegistry(tools);
  const names = specs.flatMap(({ name, via }, at) => {
    const tool = tools[at];
    if (tool === undefined) return [];
    const wireName = registry.wireName(tool);
    return [name, `${via?.replace(/^mcp:/, '')}/${name}`].map((key) => [`wire_name:${key}`, wireName] as const);
  });
  return Object.fromEntries(names);
}

function wireNameOf(placeholders: Placeholders, tool: string): string {
  const name = placeholders[`wire_name:${tool}`];
  if (name === undefined) throw new Error(`the case has no tool ${tool}`);
  return name;
}
