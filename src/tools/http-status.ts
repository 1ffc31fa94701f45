/** Answers of 4xx that may be different later. */
const PASSING_STATUSES: readonly number[] = [408, 425, 429];

/** Whether the same request would be refused again: 4xx but for those that pass, and 3xx that nobody followed. */
export function isFinalStatus(status: number): boolean {
  return status >= 300 && status < 500 && !PASSING_STATUSES.includes(status);
}
