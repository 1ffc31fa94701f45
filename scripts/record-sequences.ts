// Records the sequences of test/sequences, and the events that their replay must give, on a Temporal server of its own.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../src/config.ts';
import { findCli } from '../src/temporal/cli.ts';
import { workflowBundle } from '../src/temporal/workflow-bundle.ts';
import { recordScenario } from '../test/sequences/play-scenario.ts';
import { SCENARIOS } from '../test/sequences/scenarios.ts';
import { quietRuntime } from '../test/support/runtime.ts';
import { startTestServer } from '../test/support/server.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'test', 'sequences');

quietRuntime();
const cli = await findCli(readConfig(process.env, ROOT), (line) => console.error(line));
const { codePath: bundlePath } = await workflowBundle(join(ROOT, '.pawl', 'bundles'));
const { address, stop } = await startTestServer(cli);
try {
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    const { calls, events } = await recordScenario({ address, bundlePath }, scenario());
    writeFileSync(join(FOLDER, `${name}.jsonl`), calls);
    writeFileSync(join(FOLDER, `${name}.events.jsonl`), events);
    console.log(`${name}.jsonl`);
  }
} finally {
  stop();
}
