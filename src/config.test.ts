import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pawl-config-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const dotenv = (text: string) => writeFileSync(join(root, '.env'), text);

function problemsOf(env: NodeJS.ProcessEnv) {
  try {
    readConfig(env, root);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('no problem was found');
}

describe('readConfig', () => {
  it('needs nothing: the demo model, a home inside the project, downloads allowed', () => {
    expect(readConfig({}, root)).toMatchObject({
      home: join(root, '.pawl'),
      model: 'demo',
      offlineDemo: true,
      taskQueue: 'pawl',
      download: true,
      logLevel: 'info',
      background: false,
    });
  });

  it('uses Claude as soon as there is a key', () => {
    const config = readConfig({ ANTHROPIC_API_KEY: 'sk-ant-1' }, root);
    expect(config).toMatchObject({ offlineDemo: false, providers: { anthropic: { apiKey: 'sk-ant-1' } } });
    expect(config.model).toMatch(/^anthropic\/claude-/);
  });

  it('has what says where Claude is in the clouds, and as whom to ask it', () => {
    dotenv('AWS_ACCESS_KEY_ID=AKIA\nAWS_SECRET_ACCESS_KEY=secret/key\nAWS_SESSION_TOKEN=token==\n');
    const env = {
      AWS_REGION: 'eu-west-1',
      AWS_BEARER_TOKEN_BEDROCK: 'bearer',
      ANTHROPIC_BEDROCK_BASE_URL: 'http://127.0.0.1:1/',
      CLOUD_ML_REGION: 'us-east5',
      ANTHROPIC_VERTEX_PROJECT_ID: 'example.com:project',
      ANTHROPIC_VERTEX_BASE_URL: 'http://127.0.0.1:2/v1',
      ANTHROPIC_FOUNDRY_RESOURCE: 'some',
      ANTHROPIC_FOUNDRY_API_KEY: 'key',
      ANTHROPIC_FOUNDRY_BASE_URL: 'http://127.0.0.1:3',
    };
    const keys = { accessKeyId: 'AKIA', secretAccessKey: 'secret/key', sessionToken: 'token==', apiKey: 'bearer' };
    expect(readConfig(env, root)).toMatchObject({
      model: 'demo',
      providers: {
        bedrock: { ...keys, region: 'eu-west-1', baseUrl: 'http://127.0.0.1:1' },
        vertex: { region: 'us-east5', projectId: 'example.com:project', baseUrl: 'http://127.0.0.1:2/v1' },
        foundry: { resource: 'some', apiKey: 'key', baseUrl: 'http://127.0.0.1:3' },
      },
    });
  });

  it.each(['AWS_REGION', 'CLOUD_ML_REGION', 'ANTHROPIC_VERTEX_PROJECT_ID', 'ANTHROPIC_FOUNDRY_RESOURCE'])(
    'takes no %s that would change the address around it',
    (variable) => {
      const [problem] = problemsOf({ [variable]: 'evil.example/#' }).problems;
      expect(problem).toMatchObject({ variable, seen: '"evil.example/#"' });
    },
  );

  it('calls the demo model no fallback where it is asked for', () => {
    const config = readConfig({ ANTHROPIC_API_KEY: 'sk-ant-1', PAWL_MODEL: 'demo' }, root);
    expect(config).toMatchObject({ model: 'demo', offlineDemo: false });
  });

  it('reads .env of the root, and lets the environment win', () => {
    dotenv('PAWL_TASK_QUEUE=from-file\nPAWL_LOG=debug\n');
    expect(readConfig({ PAWL_LOG: 'warn' }, root)).toMatchObject({ taskQueue: 'from-file', logLevel: 'warn' });
  });

  it('takes an empty value as absent; in the environment it hides the one in .env', () => {
    dotenv('ANTHROPIC_API_KEY=\nPAWL_TASK_QUEUE=from-file');
    expect(readConfig({ PAWL_TASK_QUEUE: '' }, root)).toMatchObject({ model: 'demo', taskQueue: 'pawl' });
  });

  it('leaves process.env alone', () => {
    dotenv('PAWL_CONFIG_TEST=1');
    expect(() => readConfig({}, root)).toThrow(ConfigError);
    expect(process.env).not.toHaveProperty('PAWL_CONFIG_TEST');
  });

  it('hands on what envconfig reads, and nothing else', () => {
    const env = { TEMPORAL_ADDRESS: 'cluster:7233', TEMPORAL_API_KEY: 'k', HOME: '/home/me', PATH: '/bin' };
    const { PATH, ...expected } = env;
    expect(readConfig(env, root).temporalEnv).toEqual(expected);
  });

  it('resolves relative paths from the root', () => {
    mkdirSync(join(root, 'data'));
    expect(readConfig({ PAWL_HOME: 'data' }, root).home).toBe(join(root, 'data'));
  });

  it('takes slashes off the end of URLs', () => {
    expect(readConfig({ OPEN_METEO_FORECAST_URL: 'http://127.0.0.1:9/x/' }, root).weather.forecastUrl).toBe(
      'http://127.0.0.1:9/x',
    );
  });

  it('lists all problems at once, each with the variable, what was seen and what is allowed', () => {
    dotenv('this assigns nothing\n');
    const { problems, message } = problemsOf({
      PAWL_MODEL: 'gpt',
      PAWL_DOWNLOAD: 'maybe',
      PAWL_STORAGE: 's3',
      PAWL_LOG: 'loud',
      PAWL_TASK_QUEUE: 'two words',
      PAWL_TEMPORAL_CLI: '/nowhere/temporal',
      PAWL_MODLE: 'demo',
      OPEN_METEO_FORECAST_URL: 'ftp://x',
      TEMPORAL_ADDRESS: 'http://localhost:7233',
    });
    expect(problems.map((problem) => problem.variable).sort()).toEqual([
      '.env line 1',
      'OPEN_METEO_FORECAST_URL',
      'PAWL_DOWNLOAD',
      'PAWL_LOG',
      'PAWL_MODEL',
      'PAWL_MODLE',
      'PAWL_STORAGE',
      'PAWL_TASK_QUEUE',
      'PAWL_TEMPORAL_CLI',
      'TEMPORAL_ADDRESS',
    ]);
    expect(message).toContain('PAWL_LOG: "loud"; allowed: debug, info, warn, error');
  });

  it('tells a single problem in one line', () => {
    expect(() => readConfig({ PAWL_LOG: 'loud' }, root)).toThrow(
      /^The configuration has a problem: PAWL_LOG: "loud"; allowed: debug, info, warn, error$/,
    );
  });

  it('takes a path below a file for no folder', () => {
    const below = join(import.meta.filename, 'home');
    expect(() => readConfig({ PAWL_HOME: below }, root)).toThrow(
      `PAWL_HOME: ${JSON.stringify(below)}; allowed: a folder`,
    );
  });

  it('never shows a key, neither a wrong one nor one on a line without a name', () => {
    dotenv('sk-ant-secret\n');
    const { message } = problemsOf({ ANTHROPIC_API_KEY: 'sk-ant secret' });
    expect(message).toContain('ANTHROPIC_API_KEY');
    expect(message).not.toContain('secret');
  });
});
