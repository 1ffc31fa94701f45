import { type ChildProcess, spawn } from 'node:child_process';
import { ROOT } from '../support/environment.ts';

/** How a command ended, and what it wrote. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs. */
export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves when stdout and stderr together have held the text; rejects if the command ends before. */
  saw(text: string): Promise<void>;
}

/** Runs `pawl <args>` to its end, as its own process. */
export function pawl(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Finished> {
  return startPawl(env, ...args).finished;
}

/** Starts `pawl <args>` as its own process. */
export function startPawl(env: NodeJS.ProcessEnv, ...args: string[]): Running {
  return startPawlIn(ROOT, env, ...args);
}

/** Starts `pawl <args>` of the project in that folder as its own process. */
export function startPawlIn(root: string, env: NodeJS.ProcessEnv, ...args: string[]): Running {
  const child = spawn(process.execPath, ['--import', 'tsx', 'client.ts', ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
      child.emit('written');
    });
  }
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...written }));
  });
  const saw = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if ((written.stdout + written.stderr).includes(text)) resolve();
      };
      child.on('written', look);
      child.once('close', () => reject(new Error(`ended without ${text}:\n${written.stdout}${written.stderr}`)));
      look();
    });
  return { child, finished, saw };
}
