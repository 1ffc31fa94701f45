import type { CaseClients } from './case-clients.ts';
import type { Conversation } from './conversation.ts';
import type { ModelFake } from './model-fake.ts';
import type { PreparedCase } from './prepare-case.ts';
import type { TemporalServer } from './temporal-server.ts';
import type { WorkerProcess } from './worker-process.ts';

/** What all cases share. */
export interface Surroundings {
  /** Folder of everything that the runner writes. */
  readonly folder: string;
  readonly server: TemporalServer;
  readonly bundlePath: string;
}

/** One run of a case, while it goes on. */
export interface CaseRun {
  readonly prepared: PreparedCase;
  readonly surroundings: Surroundings;
  /** PAWL_HOME of the case's processes. */
  readonly home: string;
  readonly taskQueue: string;
  readonly fake: ModelFake;
  readonly worker: WorkerProcess;
  readonly clients: CaseClients;
  readonly conversation: Conversation;
  readonly signal: AbortSignal;
}

/** Ids of the processes that handlers have started. */
export function childrenOf(worker: WorkerProcess): number[] {
  return worker.reports.all.flatMap((one) => (one.type === 'child' ? [one.pid] : []));
}
