// The door `pawl/testing`: agents and the loop in tests, without a provider.

export type { ModelAdapter, ModelEvent, ModelRequest } from '../adapters/model-adapter.ts';
export { type PlayedRun, type PlayRunOptions, playRun } from './play-run.ts';
export type { PlayedCall } from './played-calls.ts';
export { type Recording, recordingAdapter, recordingAdapters } from './recording-adapter.ts';
export { secretsIn } from './redact.ts';
export { type ReplayAdapter, type ReplayOptions, replayAdapter } from './replay-adapter.ts';
export {
  asks,
  type Reply,
  type Script,
  type ScriptedAdapter,
  type ScriptedCall,
  says,
  scriptedAdapter,
} from './scripted-adapter.ts';
export {
  parseSequence,
  type RecordedCall,
  type RecordedError,
  type RecordedRequest,
  readSequence,
  type Sequence,
  SequenceError,
  sequenceLine,
} from './sequence.ts';
