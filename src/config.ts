// The only place that reads the environment. Everything below the composition roots gets values from here.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'dotenv';
import { type ConfigProblem, envFileProblems } from './env-file.ts';

/** Model used when there is a key for it and no other is named. */
const DEFAULT_CLAUDE_MODEL = 'anthropic/claude-sonnet-4-5';
/** The rule-based model that needs no key and no network. */
const DEMO_MODEL = 'demo';

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
  values.refuseUnknown();
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

const MODEL_NAME = /^(demo|(claude|gpt|chatgpt|gemini|deepseek)-\S+|o\d\S*|[a-z][a-z0-9-]*\/\S+)$/;

function withoutEmpty(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** The variables, and the problems found while they are read. */
class Values {
  readonly problems: ConfigProblem[];
  readonly #values: Record<string, string>;

  constructor(values: NodeJS.ProcessEnv, problems: readonly ConfigProblem[]) {
    this.#values = withoutEmpty(values);
    this.problems = [...problems];
  }

  matching(variable: string, pattern: RegExp, allowed: string): string | undefined {
    return this.#checked(variable, allowed, (value) => pattern.test(value));
  }

  oneOf<const T extends string>(variable: string, allowed: readonly T[]): T | undefined {
    return this.#checked(variable, allowed.join(', '), (value) => allowed.some((word) => word === value)) as
      | T
      | undefined;
  }

  url(variable: string): string | undefined {
    const url = this.#checked(variable, 'an http or https URL', isHttpUrl);
    return url?.replace(/\/+$/, '');
  }

  folder(variable: string, root: string): string | undefined {
    const value = this.#checked(variable, 'a folder, or a path where one can be made', (path) =>
      ['folder', 'nothing'].includes(kindOf(resolve(root, path))),
    );
    return value === undefined ? undefined : resolve(root, value);
  }

  file(variable: string, root: string): string | undefined {
    const value = this.#checked(
      variable,
      'the path of the temporal CLI',
      (path) => kindOf(resolve(root, path)) === 'file',
    );
    return value === undefined ? undefined : resolve(root, value);
  }

  secret(variable: string): string | undefined {
    const value = this.#values[variable];
    if (value === undefined || /^[\x21-\x7e]+$/.test(value)) return value;
    this.problems.push({
      variable,
      seen: `a value of ${value.length} characters`,
      allowed: 'a key without white space',
    });
    return undefined;
  }

  temporal(): Record<string, string> {
    this.matching(
      'TEMPORAL_ADDRESS',
      /^[^\s/:]+(:\d{1,5})?$|^\[[\da-fA-F:]+\](:\d{1,5})?$/,
      'host:port, without http://',
    );
    const names = Object.keys(this.#values).filter((name) => name.startsWith('TEMPORAL_'));
    const wanted = [...names, 'XDG_CONFIG_HOME', 'HOME', 'APPDATA'].filter((name) => name in this.#values);
    return Object.fromEntries(wanted.map((name) => [name, this.#values[name] ?? '']));
  }

  refuseUnknown(): void {
    for (const variable of Object.keys(this.#values)) {
      if (!variable.startsWith('PAWL_') || VARIABLES.includes(variable)) continue;
      this.problems.push({ variable, seen: 'not a variable of Pawl', allowed: VARIABLES.join(', ') });
    }
  }

  #checked(variable: string, allowed: string, isAllowed: (value: string) => boolean): string | undefined {
    const value = this.#values[variable];
    if (value === undefined || isAllowed(value)) return value;
    this.problems.push({ variable, seen: JSON.stringify(value), allowed });
    return undefined;
  }
}

/** What is at a path. `closed`: a file stands in the way, or a folder that is closed to us. */
function kindOf(path: string): 'folder' | 'file' | 'nothing' | 'closed' {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    // Not `throwIfNoEntry`: since Node 24 it takes a file in the way for nothing, too.
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? 'nothing' : 'closed';
  }
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol);
}
