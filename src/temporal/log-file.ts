import { readFileSync } from 'node:fs';

/** All faults of a definition, or a stack down to where it matters. */
const MAX_LINES = 20;

/** What was written to a log after its first `bytes` bytes, for an error message: the beginning, which has the reason. */
export function writtenSince(file: string, bytes: number): string {
  const lines = readFileSync(file).subarray(bytes).toString('utf8').trim().split('\n');
  const more = lines.length > MAX_LINES ? [`… more in ${file}`] : [];
  return [...lines.slice(0, MAX_LINES), ...more].join('\n');
}
