// The measured worker: the product's.

import { fromParent, installWorkerRuntime, serve } from './child-side.ts';
import { createBenchWorker, type WorkerSetup } from './pawl-worker.ts';

installWorkerRuntime();
await serve(await createBenchWorker(await fromParent<WorkerSetup>()));
