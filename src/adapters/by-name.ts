import { type ModelAdapter, ModelError } from './model-adapter.ts';
import { withSchemaFallback } from './schema-fallback.ts';

/** A model's name in two parts: who serves it, and what that provider calls it. */
export interface ModelName {
  readonly provider: string;
  readonly model: string;
}

/** How to make each provider's adapter, by provider name. Called at most once each, on first use. */
export type AdapterFactories = Readonly<Record<string, () => Promise<ModelAdapter>>>;

/** A model that can be called. */
interface FoundModel extends ModelName {
  readonly adapter: ModelAdapter;
}

/** The models that a worker can call. */
export interface Models {
  /** Throws ModelError `not_found`, not retryable, for a name that is none or a provider that is not served. */
  find(name: string): Promise<FoundModel>;
}

/** Names that need no provider before them. */
const KNOWN_PREFIXES: readonly (readonly [prefix: RegExp, provider: string])[] = [
  [/^demo$/, 'demo'],
  [/^claude-./, 'anthropic'],
  [/^(gpt-.|chatgpt-.|o\d)/, 'openai'],
  [/^gemini-./, 'google'],
  [/^deepseek-./, 'deepseek'],
];

/** Splits `provider/model`, or a model name with a known prefix. Throws ModelError `not_found` for anything else. */
export function parseModelName(name: string): ModelName {
  const slash = name.indexOf('/');
  if (slash > 0 && slash < name.length - 1) {
    return { provider: name.slice(0, slash), model: name.slice(slash + 1) };
  }
  const known = KNOWN_PREFIXES.find(([prefix]) => prefix.test(name));
  if (known !== undefined) return { provider: known[1], model: name };
  throw notFound(
    `"${name}" names no model. Allowed: demo, claude-…, gpt-…, o3…, gemini-…, deepseek-…, or provider/model.`,
  );
}

/** The models of these providers. */
export function createModels(factories: AdapterFactories): Models {
  const adapters = new Map<string, Promise<ModelAdapter>>();
  return {
    async find(name) {
      const { provider, model } = parseModelName(name);
      return { adapter: await load(provider, factories, adapters), provider, model };
    },
  };
}

function load(
  provider: string,
  factories: AdapterFactories,
  adapters: Map<string, Promise<ModelAdapter>>,
): Promise<ModelAdapter> {
  const loaded = adapters.get(provider);
  if (loaded !== undefined) return loaded;
  const make = Object.hasOwn(factories, provider) ? factories[provider] : undefined;
  if (make === undefined) {
    throw notFound(`No model provider "${provider}" here. Allowed: ${Object.keys(factories).sort().join(', ')}.`);
  }
  const adapter = make().then(withSchemaFallback);
  adapters.set(provider, adapter);
  adapter.catch(() => adapters.delete(provider)); // what could not be loaded is tried again
  return adapter;
}

function notFound(message: string): ModelError {
  return new ModelError('not_found', message, { retryable: false });
}
