import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ConfigProblem } from './env-file.ts';

/** Variables as they are asked for by kind, and the problems found meanwhile. An empty value counts as absent. */
export class Values {
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

  refuseUnknown(known: readonly string[]): void {
    for (const variable of Object.keys(this.#values)) {
      if (!variable.startsWith('PAWL_') || known.includes(variable)) continue;
      this.problems.push({ variable, seen: 'not a variable of Pawl', allowed: known.join(', ') });
    }
  }

  #checked(variable: string, allowed: string, isAllowed: (value: string) => boolean): string | undefined {
    const value = this.#values[variable];
    if (value === undefined || isAllowed(value)) return value;
    this.problems.push({ variable, seen: JSON.stringify(value), allowed });
    return undefined;
  }
}

function withoutEmpty(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])));
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
