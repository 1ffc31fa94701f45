// The worker of the bare floor, with the server settings and pollers of the product's worker.

import { NativeConnection, Worker } from '@temporalio/worker';
import { fromParent, installWorkerRuntime, serve } from '../child-side.ts';
import type { WorkerSetup } from '../pawl-worker.ts';
import { createFloorActivities } from './activities.ts';

const POLLERS = { type: 'autoscaling' } as const;

installWorkerRuntime();
const { address, taskQueue, bundlePath, modelUrl, resultBytes } = await fromParent<WorkerSetup>();
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  namespace: 'default',
  taskQueue,
  workflowBundle: { codePath: bundlePath },
  activities: { ...createFloorActivities(modelUrl, resultBytes) },
  workflowTaskPollerBehavior: POLLERS,
  activityTaskPollerBehavior: POLLERS,
});
await serve(worker);
