// Policy numbers that more than one realm needs. Those of activities alone stand in workflows/activity-options.ts.

const KIB = 1024;

/** Iterations a turn: enough for the usual question, and a loop that is stuck costs ten calls, not a hundred. */
export const DEFAULT_MAX_ITERATIONS = 10;
/** Calls an iteration: more than any model asks for on purpose. */
export const DEFAULT_MAX_CALLS_PER_ITERATION = 64;
/** Calls that run at the same time: keeps one run from taking a whole worker. */
export const MAX_PARALLEL_CALLS = 16;
/** Model attempts of one model call, the first included: with back-off 1 s × 2 about half a minute of an outage. */
export const DEFAULT_MODEL_ATTEMPTS = 5;
/** Output tokens of one model call: long answers fit, and every current model allows it. */
export const DEFAULT_MAX_OUTPUT_TOKENS = 8_192;
/** A tool's own time, for one attempt. */
export const DEFAULT_TOOL_TIMEOUT_MS = 30_000;
/** Attempts of a tool whose handler fails, the first included. */
export const DEFAULT_TOOL_ATTEMPTS = 3;
/** A quick tool's own time. It runs inside a workflow task, which waits for it. */
export const QUICK_TOOL_TIMEOUT_MS = 1_000;
/** One tool result as the model sees it: about 50,000 tokens, and it stays inline in the history. */
export const DEFAULT_MAX_RESULT_BYTES = 192 * KIB;
/** The results of one iteration together: they travel in one payload, which the server refuses over 2 MiB. */
export const MAX_ITERATION_RESULT_BYTES = 1_536 * KIB;
/** An error text that the model reads. */
export const MAX_ERROR_TEXT_BYTES = 4 * KIB;
/** A payload that the server takes, less what the envelope needs (`limit.blobSize.error` is 2 MiB). */
export const MAX_PAYLOAD_BYTES = 2 * 1024 * KIB - 16 * KIB;
/** A payload with external storage: above the 32 MB that the Messages API takes as a whole request. */
export const MAX_STORED_PAYLOAD_BYTES = 32 * 1024 * KIB;
/** Payloads larger than this go to external storage, where it is set up. */
export const STORAGE_THRESHOLD_BYTES = 256 * KIB;
/** A closed segment of the context: above the storage threshold, so that links share what they carry. */
export const SEGMENT_CHARS = 256 * KIB;
/** One page of the `context` query, in UTF-16 units: at three bytes each still far under the 2 MiB of an answer. */
export const CONTEXT_PAGE_CHARS = 200 * KIB;
/** What the memo takes: the server warns from 2 KiB on. */
export const MAX_MEMO_BYTES = 2 * KIB;
/** Result in the details of a failed run: over 2 MiB the workflow task would fail for ever. */
export const MAX_FAILURE_DETAILS_BYTES = 64 * KIB;
/** Ids of `send` requests that a run remembers. */
export const MAX_SEEN_REQUEST_IDS = 1_000;
/** Messages that may wait for a turn. */
export const MAX_QUEUED_MESSAGES = 100;
/** Answers of a turn in which the output limit cut a call, before the turn ends as truncated. */
export const MAX_CUT_ANSWERS = 3;
/** Answers of a turn whose calls the provider could not read, before the turn fails. */
export const MAX_MALFORMED_ANSWERS = 3;
/** Times that a paused model is asked to go on within a turn. */
export const MAX_PAUSES = 10;
/** The same calls with the same inputs in consecutive iterations: the model is warned, then the turn stops. */
export const LOOP_WARN_AT = 3;
export const LOOP_STOP_AT = 5;
/** Time without a heartbeat after which an attempt counts as lost, where no lease journal tells it sooner. */
export const DEFAULT_HEARTBEAT_TIMEOUT_MS = 30_000;
/** Events of a link: under the 4,096 from which the server suggests a new one, and far under its limit of 51,200. */
export const DEFAULT_CONTINUE_AS_NEW_AFTER_EVENTS = 4_000;
/** Times that an answer which does not fit the schema is sent back with the faults, before the turn ends. */
export const MAX_OUTPUT_CORRECTIONS = 2;
/** Part of the model's window from which the context is compacted: the rest is for the answer and the estimate's error. */
export const COMPACTION_STARTS_AT = 0.8;
/** Part of the window that the newest messages may take and stay as they are. */
export const COMPACTION_KEEPS = 0.25;
/** Part of the window that a compaction must make free, so that it never runs for next to nothing. */
export const COMPACTION_FREES = 0.25;
/** Output tokens of a summary: some pages, and little of the room that the compaction makes. */
export const MAX_SUMMARY_TOKENS = 4_096;
/** Silence in a model's stream after which the attempt is given up. */
export const DEFAULT_STREAM_IDLE_MS = 60_000;
/** How long the gate may think about a call before it counts as a denial. */
export const GATE_TIMEOUT_MS = 5_000;
/** Contexts that a worker keeps in memory. */
export const CONTEXT_CACHE_BYTES = 100 * 1024 * KIB;
