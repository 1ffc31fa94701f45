import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dotenv';

/** Folder of the project. */
export const ROOT = join(import.meta.dirname, '..', '..');

const OURS = /^(PAWL|TEMPORAL|ANTHROPIC|OPEN_METEO)_/;

/**
 * The environment for a process under test: nothing of the developer's own settings, .env and temporal.toml, and what
 * `own` adds. An empty variable hides the one in .env.
 */
export function isolatedEnvironment(own: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const file = join(ROOT, '.env');
  const names = existsSync(file) ? Object.keys(parse(readFileSync(file, 'utf8'))) : [];
  const foreign = Object.entries(process.env).filter(([name]) => !OURS.test(name));
  return {
    ...Object.fromEntries(foreign),
    ...Object.fromEntries(names.map((name) => [name, ''])),
    TEMPORAL_CONFIG_FILE: join(ROOT, 'no-temporal.toml'),
    ...own,
  };
}
