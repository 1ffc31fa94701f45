import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type Running, startPawlIn } from '../cli/pawl.ts';
import { ROOT } from '../support/environment.ts';
import { testTemporal } from '../support/server.ts';

const SOURCES = ['client.ts', 'worker.ts', 'src', 'package.json', 'package-lock.json', 'tsconfig.json'];

/** A copy of the project, in which files can be changed. */
export interface Project {
  readonly root: string;
  write(file: string, text: string): void;
  /** Starts `pawl <args>` of this copy as its own process. */
  start(env: NodeJS.ProcessEnv, ...args: string[]): Running;
  remove(): void;
}

/** Copies what runs. The dependencies are shared. */
export function copyProject(): Project {
  const root = mkdtempSync(join(tmpdir(), 'pawl-project-'));
  for (const name of SOURCES) cpSync(join(ROOT, name), join(root, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return {
    root,
    write(file, text) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    },
    start: (env, ...args) => startPawlIn(root, env, ...args),
    remove: () => rmSync(root, { recursive: true }),
  };
}

/** A new home that has the workflow bundle already. */
export function newHome(folder = mkdtempSync(join(tmpdir(), 'pawl-errors-'))): string {
  const { bundlePath } = testTemporal();
  mkdirSync(join(folder, 'bundles'));
  cpSync(bundlePath, join(folder, 'bundles', basename(bundlePath)));
  return folder;
}
