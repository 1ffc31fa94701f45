import { closeSync, openSync, writeSync } from 'node:fs';
import { type RecordedCall, sequenceLine } from '../testing/sequence.ts';
import { UsageError } from './usage-error.ts';

/** What a file holds of a conversation is for its owner; who shares it decides so. */
const OWNER_ONLY = 0o600;

/** A file that takes recorded calls, each at once, so that a killed recording keeps what it has. */
export interface SequenceFile {
  /** Calls that have been written. */
  readonly calls: number;
  /** Never throws: a model call must not be made again for the sake of its record. */
  write(call: RecordedCall): void;
  /** Throws {@link UsageError} where a call could not be written. */
  close(): void;
}

/** Makes the file, or empties the one that is there. Throws {@link UsageError}. */
export function openSequenceFile(path: string): SequenceFile {
  const file = attempt(path, () => openSync(path, 'w', OWNER_ONLY));
  let calls = 0;
  let fault: unknown;
  return {
    get calls() {
      return calls;
    },
    write(call) {
      try {
        writeSync(file, `${sequenceLine(call)}\n`);
        calls++;
      } catch (error) {
        fault ??= error;
      }
    },
    close() {
      closeSync(file);
      if (fault !== undefined) throw unwritable(path, fault);
    },
  };
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw unwritable(path, error);
  }
}

function unwritable(path: string, cause: unknown): UsageError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : cause;
  return new UsageError(`--out ${path}: it cannot be written (${String(code)}).`, { cause });
}
