// A worker process of one case: the product's worker with the case's tools. Started by `WorkerProcess`.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAnthropicAdapter } from '../../src/adapters/anthropic.ts';
import { createWorker } from '../../src/create-worker.ts';
import { connectWorker } from '../../src/temporal/connection.ts';
import { createDataConverter } from '../../src/temporal/data-converter.ts';
import type { ToolCall } from '../../src/tools/tool.ts';
import { behave } from './behaviours.ts';
import type { CaseTool, JsonMap } from './case-format.ts';
import { caseAgents, caseTools } from './case-tools.ts';
import { report } from './reports.ts';
import type { WorkerSetup } from './worker-setup.ts';

const setup = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')) as WorkerSetup;
const { address, namespace, taskQueue, home, settings, modelUrl: baseUrl, apiKey } = setup;

const connection = await connectWorker({ address, namespace, connectionOptions: {}, source: 'embedded' });
const worker = await createWorker({
  agents: caseAgents(setup.tools, settings, caseTools(setup.tools, settings, handle)),
  adapters: { anthropic: async () => createAnthropicAdapter({ apiKey, baseUrl }) },
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

function handle(tool: CaseTool, input: JsonMap, call: ToolCall): unknown {
  const { callId, idempotencyKey, attempt } = call;
  report({ type: 'handler_started', tool: tool.name, callId, input, idempotencyKey, attempt });
  return behave(tool.behaviour, input, call);
}
