/** The faults of a place to write to, as a person says them, by Node's error codes. */
const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on its disk',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'its file system is read-only',
  EACCES: 'it is closed to this user',
  EPERM: 'it is closed to this user',
  ENOTDIR: 'a file stands in its way',
};

/** Why a place cannot be written to, as far as its owner can mend that; undefined for every other error. */
export function writeFault(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return Object.hasOwn(WORDS, code) ? `${WORDS[code]} (${code})` : undefined;
}
