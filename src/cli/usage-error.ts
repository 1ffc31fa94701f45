/** Something that the user typed cannot be done. The message names it, its value, and the mend. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
