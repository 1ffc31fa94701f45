// A worker process of one case: the product's worker with the case's tools. Started by `WorkerProcess`.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { createWorker } from '../../src/create-worker.ts';
import { adaptersOf } from '../../src/providers.ts';
import { connectWorker } from '../../src/temporal/connection.ts';
import { createDataConverter } from '../../src/temporal/data-converter.ts';
import type { ToolCall } from '../../src/tools/tool.ts';
import type { CaseTool, JsonMap } from './case-format.ts';
import { caseProvider } from './case-providers.ts';
import { caseAgents, caseTools } from './case-tools.ts';
import { report } from './reports.ts';
import type { WorkerSetup } from './worker-setup.ts';

const setup = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')) as WorkerSetup;
const { address, namespace, taskQueue, home, settings } = setup;

const connection = await connectWorker({ address, namespace, connectionOptions: {}, source: 'embedded' });
const worker = await createWorker({
  agents: caseAgents(setup, caseTools(setup, reportStart)),
  adapters: adaptersOf(readConfig(providerEnvironment(setup), home)),
  connection,
  namespace,
  taskQueue,
  dataConverter: createDataConverter({ storageDir: join(home, 'payloads') }),
  storage: true,
  workflowBundle: { codePath: setup.bundlePath },
  leasesDir: join(home, 'leases'),
  shutdownGraceMs: settings.shutdown_grace_ms,
});
const stopped = worker.run();
report({ type: 'ready' });
await stopped;
await connection.close();

/** Key and address of the fake, in the variables that a user would set. */
function providerEnvironment({ provider, modelUrl, apiKey }: WorkerSetup): Record<string, string> {
  const { variables, path } = caseProvider(provider);
  return { [`${variables}_API_KEY`]: apiKey, [`${variables}_BASE_URL`]: `${modelUrl}${path}` };
}

function reportStart(tool: CaseTool, input: JsonMap, { callId, idempotencyKey, attempt }: ToolCall): void {
  report({ type: 'handler_started', tool: tool.name, callId, input, idempotencyKey, attempt });
}
