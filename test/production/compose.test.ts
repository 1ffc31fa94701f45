// docker-compose.yml: neither Docker nor its images are needed for what is tested here, and so nothing is started.

import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { SHUTDOWN_GRACE_MS } from '../../src/create-worker.ts';
import { MAX_PAYLOAD_BYTES } from '../../src/protocol/limits.ts';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/search-attributes.ts';
import { configuredTarget } from '../../src/temporal/connection.ts';
import { ROOT } from '../support/environment.ts';
import { composeText, interpolations, parseCompose, serviceOf } from './compose-file.ts';
import { contentProblems, lintProblems, schemaProblems } from './compose-problems.ts';
import { readDockerfile } from './dockerfile.ts';

const text = composeText();
const file = parseCompose(text);
const source = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const SETTINGS = [...source('.env.example').matchAll(/^(\w+)=/gm)].map(([, name = '']) => name);
const PROBLEMS = { schema: schemaProblems, lint: lintProblems, content: contentProblems };

describe('docker-compose.yml', () => {
  test.each(Object.entries(PROBLEMS))('has no problem of the kind: %s', (_, problemsOf) => {
    expect(problemsOf(text)).toEqual([]);
  });

  const unhealthy = text.replace(/ {4}healthcheck:\n(?: {6}.*\n)+/, '');
  test.each([
    ['a condition that Compose does not know', 'schema', 'condition: service_healthy', 'condition: service_healty'],
    ['a misspelled healthcheck', 'schema', 'healthcheck:', 'healtcheck:'],
    ['a port on every interface', 'lint', '127.0.0.1:$', '$'],
    ['a variable without a default', 'content', ':-16-bookworm}', '}'],
    ['a variable that may be empty', 'content', ':-16-bookworm}', '-16-bookworm}'],
    ['an image without a tag', 'content', 'temporalio/ui:', 'temporalio/'],
    ['the tag latest', 'content', ':-2.54.1}', ':-latest}'],
    [
      'a wait for what never ends',
      'content',
      'condition: service_healthy',
      'condition: service_completed_successfully',
    ],
    ['a wait for health that nobody checks', 'content', text, unhealthy],
    ['a wait for nobody', 'content', '      namespace:\n', '      namespaces:\n'],
    ['a mounted file that is not there', 'content', './deploy/schema.sh', './deploy/schemas.sh'],
    ['a volume that is not declared', 'content', '- payloads:/', '- payload:/'],
  ] as const)('would not pass with %s', (_, kind, right, wrong) => {
    expect(text).toContain(right);
    expect(PROBLEMS[kind](text.replace(right, () => wrong))).not.toEqual([]);
  });

  test('explains each of its variables, and asks for none that Pawl would refuse in the shared .env', () => {
    const header = text.slice(0, text.indexOf('\nname:'));
    const names = [...new Set(interpolations(text).map(({ name }) => name))];
    const explained = (name: string) => header.includes(name) || SETTINGS.includes(name);
    expect(names.filter((name) => !explained(name))).toEqual([]);
    expect(names.filter((name) => name.startsWith('PAWL_') && !SETTINGS.includes(name))).toEqual([]);
  });

  test('uses one password everywhere, and takes it from the environment', () => {
    const { services } = parseCompose(text, { POSTGRES_PASSWORD: 's3cret' });
    const given = ['postgres', 'schema', 'temporal'].map((name) => Object.values(services[name]?.environment ?? {}));
    expect(given.every((values) => values.includes('s3cret'))).toBe(true);
  });

  test('does not publish the server where a command would take it for a dev server', () => {
    expect(serviceOf(file, 'temporal').ports).toEqual(['127.0.0.1:17233:7233']);
  });
});

describe('the namespace job', () => {
  const script = source('deploy/namespace.sh');

  test('makes exactly the search attributes that runs set', () => {
    const lines = [...script.matchAll(/^(Pawl\w+) (\w+)$/gm)].map(([, name, type]) => [name, type]);
    expect(Object.fromEntries(lines)).toEqual(SEARCH_ATTRIBUTES);
  });

  test('keeps closed runs for 90 days', () => {
    expect(Number(/^retention=(\d+)h$/m.exec(script)?.[1])).toBe(90 * 24);
  });
});

test('the server takes every payload that Pawl sends', () => {
  const limits = parse(source('deploy/dynamic-config.yaml')) as Record<string, { value: number }[]>;
  expect(limits['limit.blobSize.error']?.[0]?.value).toBeGreaterThan(MAX_PAYLOAD_BYTES);
});

describe('the worker', () => {
  const worker = serviceOf(file, 'worker');
  const { environment } = readDockerfile(source('Dockerfile'));
  const config = readConfig({ ...environment, ...worker.environment }, tmpdir());

  test('runs against the server of this file, on the queue that clients use', () => {
    const { address, namespace, source } = configuredTarget(config) ?? {};
    expect({ address, namespace, source }).toEqual({
      address: 'temporal:7233',
      namespace: 'default',
      source: 'configured',
    });
    expect(serviceOf(file, 'namespace').environment).toMatchObject({
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
    });
    expect(config).toMatchObject({ taskQueue: 'pawl', model: 'demo', download: false });
  });

  test('keeps its payloads on the shared volume', () => {
    expect(config.storage).toBe('disk');
    expect(worker.volumes).toEqual([`payloads:${join(config.home, 'payloads')}`]);
  });

  test('uses Claude where the environment has a key', () => {
    const { environment: own } = serviceOf(parseCompose(text, { ANTHROPIC_API_KEY: 'key' }), 'worker');
    expect(readConfig({ ...own }, tmpdir())).toMatchObject({
      providers: { anthropic: { apiKey: 'key' } },
      offlineDemo: false,
    });
  });

  test('is given every setting of .env.example but those that this file and the image decide', () => {
    const settings = Object.fromEntries(SETTINGS.map((name) => [name, `the value of ${name}`]));
    const given = serviceOf(parseCompose(text, settings), 'worker').environment ?? {};
    expect(SETTINGS.filter((name) => given[name] !== settings[name])).toEqual([
      'TEMPORAL_ADDRESS',
      'PAWL_HOME',
      'PAWL_TEMPORAL_CLI',
      'PAWL_DOWNLOAD',
      'PAWL_STORAGE',
    ]);
  });

  test('has more time to stop than it gives to running calls', () => {
    const stopMs = 1_000 * Number(/^(\d+)s$/.exec(worker.stop_grace_period ?? '')?.[1]);
    expect(stopMs).toBeGreaterThan(2 * SHUTDOWN_GRACE_MS);
  });
});
