// `npm run demo:kill`: a run whose worker is killed twice, once in a tool and once in a model call, and which goes on.
// Ends with 0 only where the run completed and no answer of the model was asked for twice.

import { join } from 'node:path';
import { explain } from '../src/cli/explain.ts';
import { targetLine } from '../src/cli/target-line.ts';
import { createTerminal } from '../src/cli/terminal.ts';
import { readConfig } from '../src/config.ts';
import { findTarget } from '../src/temporal/background.ts';
import { ensureWorker } from '../src/temporal/background-worker.ts';
import { play } from './demo-kill/play.ts';

const INTRODUCTION = `The model follows a script and the tool only waits, so this needs no key and no network.
Server, workflow, workers and recovery are those of every run.
`;

const root = join(import.meta.dirname, '..');
const terminal = createTerminal(process.stdout, process.stderr);
try {
  process.exitCode = (await demo()) ? 0 : 1;
} catch (error) {
  const { code, text } = explain(error, { pawl: 'npm run -s pawl --', root });
  terminal.note(text);
  process.exitCode = code;
}

async function demo(): Promise<boolean> {
  const config = readConfig(process.env, root);
  terminal.print(terminal.style.bold('A run, and two workers that are killed in the middle of it.'));
  terminal.print(INTRODUCTION);
  const target = await findTarget(config, terminal.note);
  terminal.print(targetLine(target));
  // Our own server is looked after by the background worker, which stops it when nobody needs it any more.
  if (target.source === 'embedded') await ensureWorker(config, target, terminal.note);
  return play(config, target, terminal);
}
