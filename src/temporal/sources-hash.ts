import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Digest over the names and contents of the files, and of all source files in the folders. Tests do not count. */
export function hashOf(root: string, paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of paths.flatMap((path) => filesUnder(join(root, path))).sort()) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file)}\n${content.byteLength}\n`).update(content);
  }
  return hash.digest('hex');
}

/** Digest over everything that a worker is started from: another one means that a running worker is out of date. */
export function sourcesHash(root: string): string {
  return hashOf(root, ['src', 'worker.ts', 'package-lock.json']);
}

function filesUnder(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|js|json)$/.test(name) && !name.endsWith('.test.ts'))
    .map((name) => join(path, name));
}
