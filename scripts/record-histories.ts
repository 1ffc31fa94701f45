// Records the kept histories of test/histories on a Temporal server of its own. After the first release it only adds
// what is missing: a history that a released version has written must replay as it is.

import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { createAnthropicAdapter } from '../src/adapters/anthropic.ts';
import { readConfig } from '../src/config.ts';
import { findCli } from '../src/temporal/cli.ts';
import { workflowBundle } from '../src/temporal/workflow-bundle.ts';
import { startFakeModelApi } from '../test/fake-model-api/fake-model-api.ts';
import { SCENARIOS, type Scenario } from '../test/replay/scenarios.ts';
import { withRunWorker } from '../test/support/run-worker.ts';
import { quietRuntime } from '../test/support/runtime.ts';
import { startTestServer } from '../test/support/server.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'test', 'histories');

interface Place {
  readonly address: string;
  readonly bundlePath: string;
}

/** The histories of all links of a scenario's run, the first link first. */
async function record({ address, bundlePath }: Place, { agent, responses, play }: Scenario): Promise<string[]> {
  const fake = await startFakeModelApi({ responses });
  const adapters = { anthropic: async () => createAnthropicAdapter({ apiKey: 'test-key', baseUrl: fake.url }) };
  try {
    return await withRunWorker({ address, bundlePath, agents: [agent], adapters }, async ({ client, temporal }) =>
      historiesOf(temporal, await play(client)),
    );
  } finally {
    await fake.close();
  }
}

async function historiesOf(temporal: Client, run: string): Promise<string[]> {
  const histories: string[] = [];
  let runId: string | undefined | null = (await temporal.workflow.getHandle(run).describe()).runId;
  while (runId) {
    const history = await temporal.workflow.getHandle(run, runId).fetchHistory();
    histories.unshift(historyToJSON(history).replaceAll(ROOT, '')); // stack traces name the folder
    runId = history.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
  }
  return histories;
}

function isReleased(): boolean {
  return execFileSync('git', ['tag', '--list', 'v*'], { cwd: ROOT, encoding: 'utf8' }).trim() !== '';
}

/** The scenarios to record. Before the first release the files are made anew, all of them. */
function wanted(): string[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  if (isReleased()) return Object.keys(SCENARIOS).filter((name) => !files.some((file) => file.startsWith(`${name}.`)));
  for (const file of files) rmSync(join(FOLDER, file));
  return Object.keys(SCENARIOS);
}

async function recordAll(place: Place): Promise<void> {
  for (const name of wanted()) {
    const scenario = SCENARIOS[name]?.();
    if (!scenario) continue;
    for (const [index, history] of (await record(place, scenario)).entries()) {
      const file = `${name}.${index + 1}.json`;
      writeFileSync(join(FOLDER, file), `${history}\n`);
      console.log(file);
    }
  }
}

quietRuntime();
const config = readConfig(process.env, ROOT);
const cli = await findCli(config, (line) => console.error(line));
const { codePath } = await workflowBundle(join(ROOT, '.pawl', 'bundles'));
const server = await startTestServer(cli);
try {
  await recordAll({ address: server.address, bundlePath: codePath });
} finally {
  server.stop();
}
