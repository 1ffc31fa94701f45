/** Answers of 4xx that may be different later: the others are final. */
const PASSING_STATUSES: readonly number[] = [408, 425, 429];

/** Whether the same request would be refused again: a status of 4xx, but for those that pass. */
export function isFinalStatus(status: number): boolean {
  return status >= 400 && status < 500 && !PASSING_STATUSES.includes(status);
}
