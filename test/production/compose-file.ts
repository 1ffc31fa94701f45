// docker-compose.yml as Compose reads it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../support/environment.ts';

/** A service, as far as the checks look at it. */
export interface Service {
  readonly image?: string;
  readonly build?: { readonly args?: Readonly<Record<string, string>> };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly command?: readonly string[];
  readonly restart?: string;
  readonly healthcheck?: object;
  readonly stop_grace_period?: string;
}

/** The file with its variables filled in. */
export interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
}

/** A use of a variable. It is `safe` where it has a default, or Compose refuses to start without it. */
export interface Interpolation {
  readonly name: string;
  readonly safe: boolean;
}

/** Forms of Compose: `$NAME`, `${NAME}`, `${NAME:-default}`, `${NAME:?message}`; without the colon, empty counts as set. */
const VARIABLE = /\$(?:(\w+)|\{(\w+)(?:(:?[-?])([^}]*))?\})/g;

/** The text of the project's file. */
export function composeText(): string {
  return readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
}

/** All uses of variables, outside of comments. */
export function interpolations(text: string): Interpolation[] {
  const values = JSON.stringify(parse(text));
  return [...values.matchAll(VARIABLE)].map(([, bare, name, operator]) => ({
    name: bare ?? name ?? '',
    safe: operator?.startsWith(':') ?? false,
  }));
}

/** The file with these variables; any other has its default. */
export function parseCompose(text: string, variables: Readonly<Record<string, string>> = {}): ComposeFile {
  return parse(text, (_key, value) => (typeof value === 'string' ? fill(value, variables) : value)) as ComposeFile;
}

/** A service of this name. Throws where there is none. */
export function serviceOf({ services }: ComposeFile, name: string): Service {
  const service = services[name];
  if (service === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return service;
}

function fill(value: string, variables: Readonly<Record<string, string>>): string {
  return value.replace(
    VARIABLE,
    (_use, bare, name, _operator, fallback) => variables[bare ?? name] || (fallback ?? ''),
  );
}
