// npm run bench -- overhead|growth|recovery|start|adapters [--rounds N] [--quick]: the last line of output is one JSON object.

import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { adapters } from './adapters.ts';
import { growth } from './growth.ts';
import type { Bench } from './options.ts';
import { overhead } from './overhead.ts';
import { recovery } from './recovery.ts';
import { start } from './start.ts';

/** Each with the number of rounds that a steady median takes; the longest of them runs for some minutes. */
const BENCHES: Readonly<Record<string, { readonly bench: Bench; readonly rounds: number }>> = {
  overhead: { bench: overhead, rounds: 5 },
  growth: { bench: growth, rounds: 3 },
  recovery: { bench: recovery, rounds: 5 },
  start: { bench: start, rounds: 5 },
  adapters: { bench: adapters, rounds: 3 },
};

Runtime.install({ logger: new DefaultLogger('WARN') }); // bundling would log every step
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const options = { rounds: { type: 'string' }, quick: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const chosen = BENCHES[positionals[0] ?? ''];
  const rounds = values.rounds === undefined ? chosen?.rounds : Number(values.rounds);
  if (chosen === undefined || positionals.length !== 1 || rounds === undefined || !(rounds >= 1)) {
    console.error(`npm run bench -- ${Object.keys(BENCHES).join('|')} [--rounds N] [--quick]`);
    return 2;
  }
  const figures = await chosen.bench({ rounds, size: values.quick ? 'tiny' : 'full' });
  console.log(JSON.stringify(figures));
  return 0;
}
