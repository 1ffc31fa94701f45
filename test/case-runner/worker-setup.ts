import type { CaseSettings, CaseTool } from './case-format.ts';

/** What a worker process of a case is started with, as JSON in a file. */
export interface WorkerSetup {
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
  /** PAWL_HOME of the case: leases and stored payloads. All its workers share it. */
  readonly home: string;
  readonly bundlePath: string;
  /** The case's word for it. */
  readonly provider: string;
  /** Address of the fake model API, without a path. */
  readonly modelUrl: string;
  readonly apiKey: string;
  readonly settings: CaseSettings;
  readonly tools: readonly CaseTool[];
  /** `host:port` of what a tool may fetch although it is not public. */
  readonly allowPrivate: readonly string[];
}
