import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMap, type JsonMap } from './case-format.ts';

/** The folder of the project's own cases. */
export const CASES = fileURLToPath(new URL('../cases/', import.meta.url));
/** Names the cases that must pass, separated by white space. */
const READY = join(CASES, 'ready.txt');

/** A case file that is to be run. `name` is the file's name without its ending. */
export interface Selected {
  readonly name: string;
  readonly path: string;
}

/**
 * The cases that the arguments name: files, folders (all cases in it), or none for the list of ready cases.
 * With `only`, just those names of them; a name that is not among them throws.
 */
export async function selectCases(paths: readonly string[], only: readonly string[]): Promise<readonly Selected[]> {
  const found = paths.length === 0 ? await defaultCases(only) : (await Promise.all(paths.map(casesOf))).flat();
  if (only.length === 0) return found;
  const missing = only.filter((name) => !found.some((one) => one.name === name));
  if (missing.length > 0) throw new Error(`no case named ${missing.join(', ')}`);
  return found.filter((one) => only.includes(one.name));
}

/** The JSON of a case. Throws where the file holds no object. */
export async function readCase(path: string): Promise<JsonMap> {
  const parsed: unknown = JSON.parse(await readFile(path, 'utf8'));
  if (!isMap(parsed)) throw new Error(`${path} holds no JSON object`);
  return parsed;
}

/** Names asked for by name need not be in the list of ready ones. */
async function defaultCases(only: readonly string[]): Promise<readonly Selected[]> {
  if (only.length > 0) return casesOf(CASES);
  const names = (await readFile(READY, 'utf8')).split(/\s+/).filter((name) => name !== '');
  return names.map((name) => ({ name, path: join(CASES, `${name}.json`) }));
}

async function casesOf(path: string): Promise<readonly Selected[]> {
  if (!(await stat(path)).isDirectory())
    return [{ name: basename(path, '.json'), path: join(dirname(path), basename(path)) }];
  const files = (await readdir(path)).filter((file) => file.endsWith('.json')).sort();
  return files.map((file) => ({ name: basename(file, '.json'), path: join(path, file) }));
}
