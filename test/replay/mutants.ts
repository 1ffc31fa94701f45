// Workflow code with one planted change, bundled like the real one.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { ROOT } from '../support/environment.ts';

/** One replacement in a file of `src/workflows`. */
export interface Change {
  readonly file: string;
  /** Must stand in the file exactly once, so that a change of the code cannot turn a mutant into the original. */
  readonly find: string;
  readonly replaceBy: string;
}

/** The bundle's code with these changes. Throws where one of them fits nowhere, or in several places. */
export async function mutantBundle(changes: readonly Change[]): Promise<string> {
  mkdirSync(join(ROOT, '.pawl'), { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(ROOT, '.pawl', 'mutant-')); // within the project, so that its packages are found
  try {
    for (const part of ['workflows', 'protocol'])
      cpSync(join(ROOT, 'src', part), join(folder, part), { recursive: true });
    for (const change of changes) plant(join(folder, 'workflows', change.file), change);
    const workflowsPath = join(folder, 'workflows', 'index.ts');
    return (await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') })).code;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function plant(path: string, { file, find, replaceBy }: Change): void {
  const parts = readFileSync(path, 'utf8').split(find);
  if (parts.length !== 2) throw new Error(`${file} holds ${parts.length - 1} times: ${find}`);
  writeFileSync(path, parts.join(replaceBy));
}
