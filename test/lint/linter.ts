// Runs the project's linter rules on files that are written for the purpose, in a folder laid out like the project.

import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../support/environment.ts';

interface Report {
  readonly diagnostics: readonly { readonly category: string; readonly location: { readonly path: string } }[];
}

/** The rules that each file breaks, by path, such as `lint/style/noRestrictedImports`. */
export function lint(files: Readonly<Record<string, string>>): Map<string, string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-lint-'));
  try {
    for (const file of ['biome.json', 'package.json']) cpSync(join(ROOT, file), join(folder, file));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return rulesByPath(Object.keys(files), runBiome(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function rulesByPath(paths: readonly string[], { diagnostics }: Report): Map<string, string[]> {
  const rulesOf = (path: string) => diagnostics.filter(({ location }) => location.path === path);
  return new Map(paths.map((path) => [path, rulesOf(path).map(({ category }) => category)]));
}

/** Biome exits with 1 where it finds something, which is what is asked of it here. */
function runBiome(folder: string): Report {
  const biome = join(ROOT, 'node_modules', '.bin', 'biome');
  const options: ExecFileSyncOptionsWithStringEncoding = { cwd: folder, encoding: 'utf8', stdio: 'pipe' };
  const command = ['lint', '--reporter=json', '--max-diagnostics=none', 'src'];
  try {
    return JSON.parse(execFileSync(biome, command, options)) as Report;
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    if (!stdout) throw error;
    return JSON.parse(stdout) as Report;
  }
}
