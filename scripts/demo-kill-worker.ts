// A worker process of `npm run demo:kill`: an ordinary worker, whose hooks tell the script what it is doing.

import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Hooks } from '../src/activities/hooks.ts';
import { readConfig } from '../src/config.ts';
import { createWorker } from '../src/create-worker.ts';
import { findTarget } from '../src/temporal/background.ts';
import { connectWorker } from '../src/temporal/connection.ts';
import { dataConverterFor } from '../src/temporal/data-converter.ts';
import { homeFiles } from '../src/temporal/home-files.ts';
import { workflowBundle } from '../src/temporal/workflow-bundle.ts';
import { copyist, createScriptedModel } from './demo-kill/copyist.ts';
import type { Fact } from './demo-kill/facts.ts';

const [taskQueue = ''] = process.argv.slice(2);
// Without the script there is nobody to work for.
process.once('disconnect', () => process.exit());
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
});

const hooks: Hooks = {
  onModelCall: ({ iteration }) => tell({ type: 'model_asked', iteration }),
  onTextDelta: ({ iteration }) => tell({ type: 'model_wrote', iteration }),
  onModelResult: ({ iteration }) => tell({ type: 'model_answered', iteration }),
  onToolCall: ({ iteration, idempotencyKey }) => tell({ type: 'tool_started', iteration, idempotencyKey }),
};

const config = readConfig(process.env, join(import.meta.dirname, '..'));
const files = homeFiles(config.home);
const [target, bundle] = await Promise.all([findTarget(config, console.error), workflowBundle(files.bundles)]);
const connection = await connectWorker(target);
const dataConverter = dataConverterFor(config, target);
const worker = await createWorker({
  agents: [copyist((chapter, page) => tell({ type: 'page_copied', chapter, page }))],
  adapters: { script: async () => createScriptedModel() },
  hooks,
  connection,
  namespace: target.namespace,
  taskQueue,
  dataConverter,
  storage: dataConverter !== undefined,
  workflowBundle: bundle,
  leasesDir: files.leases,
});
const stopped = worker.run();
tell({ type: 'ready' });
await stopped;
await connection.close();
process.exit();

function tell(fact: Fact): void {
  process.send?.(fact);
}
