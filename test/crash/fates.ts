// What becomes of the worker processes of these tests, in the words that tests and processes share.

/** Points of a model's answer at which the test kills the worker that waits for it. */
export type ModelPoint = 'before_headers' | 'first_delta' | 'last_delta';

/** The iteration in which fates are met: there the model has results to read, which only the worker before had in memory. */
export const FATAL_ITERATION = 2;

/**
 * `works`: nothing happens to it. A model point: it is killed there. `dies_in_handler`, `dies_after_handler` (the result
 * is not on its way yet) and `dies_before_model_request` (of the next iteration): it kills itself there.
 * `stopped_in_handler`: SIGTERM comes while the handler runs, which then ends by itself. `stopped_in_long_handler`:
 * SIGTERM comes while the handler runs, which never ends. `hangs_in_handler`: the test kills it when it likes.
 */
export type Fate =
  | 'works'
  | ModelPoint
  | 'dies_in_handler'
  | 'dies_after_handler'
  | 'dies_before_model_request'
  | 'stopped_in_handler'
  | 'stopped_in_long_handler'
  | 'hangs_in_handler';

/** A fate, and the tool in whose handler it waits. */
export interface Order {
  readonly fate: Fate;
  readonly tool: string;
}

/** What a worker process needs to begin its work. */
export interface CrashSetup {
  readonly address: string;
  readonly taskQueue: string;
  readonly bundlePath: string;
  readonly modelUrl: string;
  /** Absent: the worker keeps no lease journal, and takes over none. */
  readonly leasesDir?: string;
}

/** One line of JSON on a worker process's standard input. The first one has the setup. */
export interface Instruction {
  readonly setup?: CrashSetup;
  readonly order: Order;
}
