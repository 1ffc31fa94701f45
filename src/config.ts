// The only place that reads the environment. Everything below the composition roots gets values from here.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dotenv';
import { Values } from './config-values.ts';
import { type ConfigProblem, envFileProblems } from './env-file.ts';

/** Model used when there is a key for it and no other is named. */
const DEFAULT_CLAUDE_MODEL = 'anthropic/claude-sonnet-4-5';
/** The rule-based model that needs no key and no network. */
const DEMO_MODEL = 'demo';
const MODEL_NAME = /^(demo|(claude|gpt|chatgpt|gemini|deepseek)-\S+|o\d\S*|[a-z][a-z0-9-]*\/\S+)$/;

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const STORAGES = ['disk', 'none'] as const;

/** Model providers with a wire of their own; `openai-compatible` is any server that speaks Chat Completions. */
const PROVIDERS = ['anthropic', 'openai', 'google', 'deepseek', 'openai-compatible'] as const;
type Provider = (typeof PROVIDERS)[number];

/** What the variables of a provider begin with. */
const PREFIXES: Readonly<Record<Provider, string>> = {
  anthropic: 'ANTHROPIC',
  openai: 'OPENAI',
  google: 'GEMINI',
  deepseek: 'DEEPSEEK',
  'openai-compatible': 'OPENAI_COMPATIBLE',
};

/** Services that have no SDK of their own, which would know their address. */
const BASE_URLS: Readonly<Partial<Record<Provider, string>>> = { deepseek: 'https://api.deepseek.com' };

/** What goes into an address of a cloud's. */
const CLOUD_NAME = /^[\w.:-]+$/;

/** Where a provider is, and the key for it. Without an address it is the one that the provider's SDK knows. */
export interface Endpoint {
  readonly apiKey?: string;
  readonly baseUrl?: string;
}

/** Claude in the clouds. What is not set here their clients may find by themselves: profiles, roles, metadata. */
export interface Clouds {
  readonly bedrock: Endpoint & {
    readonly region?: string;
    readonly accessKeyId?: string;
    readonly secretAccessKey?: string;
    readonly sessionToken?: string;
  };
  readonly vertex: Omit<Endpoint, 'apiKey'> & { readonly region?: string; readonly projectId?: string };
  readonly foundry: Endpoint & { readonly resource?: string };
}

/** How much a worker writes to its log. */
type LogLevel = (typeof LOG_LEVELS)[number];

/** The checked configuration. It holds keys: must never be printed or put into a payload. */
export interface Config {
  /** Folder of the project: sources, package-lock.json, .env. */
  readonly root: string;
  /** Folder of what lives on after a command: database, logs, downloaded CLI, stored payloads. */
  readonly home: string;
  readonly model: string;
  /** True where `model` is the demo because neither PAWL_MODEL nor a key says otherwise. */
  readonly offlineDemo: boolean;
  readonly taskQueue: string;
  /** Path of the temporal CLI, where the user names one. */
  readonly temporalCli?: string;
  /** Whether Pawl may download the temporal CLI. */
  readonly download: boolean;
  /** Where large payloads go; undefined leaves the choice to where Temporal runs. */
  readonly storage?: (typeof STORAGES)[number];
  readonly logLevel: LogLevel;
  readonly weather: { readonly geocodingUrl: string; readonly forecastUrl: string };
  readonly providers: Readonly<Record<Provider, Endpoint>> & Clouds;
  /** TEMPORAL_* and what says where temporal.toml lies, for `@temporalio/envconfig`. */
  readonly temporalEnv: Readonly<Record<string, string>>;
  /** True in the worker that a command started in the background: it stops when nobody needs it. */
  readonly background: boolean;
  /** What a background process is started with. Values of .env are not in it: the process reads them itself. */
  readonly environment: Readonly<NodeJS.ProcessEnv>;
}

/** Thrown with all problems at once, each with the variable, the value seen and what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[], options?: ErrorOptions) {
    const lines = problems.map(({ variable, seen, allowed }) => `${variable}: ${seen}; allowed: ${allowed}`);
    const [only] = lines;
    const message =
      lines.length === 1
        ? `The configuration has a problem: ${only}`
        : `The configuration has ${lines.length} problems:\n  ${lines.join('\n  ')}`;
    super(message, options);
    this.problems = problems;
  }
}

const VARIABLES = [
  'PAWL_MODEL',
  'PAWL_TASK_QUEUE',
  'PAWL_HOME',
  'PAWL_TEMPORAL_CLI',
  'PAWL_DOWNLOAD',
  'PAWL_STORAGE',
  'PAWL_LOG',
  'PAWL_BACKGROUND',
];

/**
 * Reads and checks the environment and `<root>/.env`; a variable of the environment, even an empty one, wins over the
 * file. An empty value counts as absent. Throws {@link ConfigError}.
 */
export function readConfig(env: NodeJS.ProcessEnv, root: string): Config {
  const file = join(root, '.env');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const values = new Values({ ...parse(text), ...env }, envFileProblems(text));
  const config = build(values, root, env);
  values.refuseUnknown(VARIABLES);
  if (values.problems.length > 0) throw new ConfigError(values.problems);
  return config;
}

function build(values: Values, root: string, environment: NodeJS.ProcessEnv): Config {
  const endpoints = PROVIDERS.map((name) => [name, endpointOf(values, name)]);
  const providers = { ...Object.fromEntries(endpoints), ...cloudsOf(values) } as Config['providers'];
  const named = values.matching(
    'PAWL_MODEL',
    MODEL_NAME,
    'demo, provider/model, or a name that starts with claude-, gpt-, o3, gemini- or deepseek-',
  );
  const model = named ?? (providers.anthropic.apiKey === undefined ? DEMO_MODEL : DEFAULT_CLAUDE_MODEL);
  return {
    root,
    home: values.folder('PAWL_HOME', root) ?? join(root, '.pawl'),
    model,
    offlineDemo: named === undefined && model === DEMO_MODEL,
    taskQueue:
      values.matching('PAWL_TASK_QUEUE', /^[\w./:-]{1,200}$/, 'letters, digits and . _ - / :, at most 200') ?? 'pawl',
    temporalCli: values.file('PAWL_TEMPORAL_CLI', root),
    download: values.oneOf('PAWL_DOWNLOAD', ['0', '1']) !== '0',
    storage: values.oneOf('PAWL_STORAGE', STORAGES),
    logLevel: values.oneOf('PAWL_LOG', LOG_LEVELS) ?? 'info',
    weather: {
      geocodingUrl: values.url('OPEN_METEO_GEOCODING_URL') ?? 'https://geocoding-api.open-meteo.com/v1/search',
      forecastUrl: values.url('OPEN_METEO_FORECAST_URL') ?? 'https://api.open-meteo.com/v1/forecast',
    },
    providers,
    temporalEnv: values.temporal(),
    background: values.oneOf('PAWL_BACKGROUND', ['0', '1']) === '1',
    environment,
  };
}

function endpointOf(values: Values, provider: Provider): Endpoint {
  const prefix = PREFIXES[provider];
  const apiKey = values.secret(`${prefix}_API_KEY`);
  return { apiKey, baseUrl: values.url(`${prefix}_BASE_URL`) ?? BASE_URLS[provider] };
}

/** The variables are those of the official clients. */
function cloudsOf(values: Values): Clouds {
  const name = (variable: string, example: string) =>
    values.matching(variable, CLOUD_NAME, `a name such as ${example}`);
  return {
    bedrock: {
      region: name('AWS_REGION', 'us-east-1'),
      apiKey: values.secret('AWS_BEARER_TOKEN_BEDROCK'),
      accessKeyId: values.secret('AWS_ACCESS_KEY_ID'),
      secretAccessKey: values.secret('AWS_SECRET_ACCESS_KEY'),
      sessionToken: values.secret('AWS_SESSION_TOKEN'),
      baseUrl: values.url('ANTHROPIC_BEDROCK_BASE_URL'),
    },
    vertex: {
      region: name('CLOUD_ML_REGION', 'us-east5'),
      projectId: name('ANTHROPIC_VERTEX_PROJECT_ID', 'my-project'),
      baseUrl: values.url('ANTHROPIC_VERTEX_BASE_URL'),
    },
    foundry: {
      resource: name('ANTHROPIC_FOUNDRY_RESOURCE', 'my-resource'),
      apiKey: values.secret('ANTHROPIC_FOUNDRY_API_KEY'),
      baseUrl: values.url('ANTHROPIC_FOUNDRY_BASE_URL'),
    },
  };
}
