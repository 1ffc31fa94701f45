import { readFileSync } from 'node:fs';

const TAIL_LINES = 8;

/** The last lines of a log, for an error message. */
export function tail(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}
