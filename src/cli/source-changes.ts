import { watch } from 'node:fs';
import { join } from 'node:path';
import { sourcesHash } from '../temporal/sources-hash.ts';

/** An editor writes a file in several strokes, and a checkout many files: all of them are one change. */
const QUIET_MS = 200;

/**
 * Calls `onChange` when the sources under `root` have changed. A file that is written with the same content is no
 * change, nor is a test. The function that it gives back ends the watch.
 */
export function watchSources(root: string, onChange: () => void): () => void {
  let seen = sourcesHash(root);
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const now = currentHash(root);
    if (now === seen) return;
    seen = now;
    onChange();
  };
  const watcher = watch(join(root, 'src'), { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(look, QUIET_MS);
  });
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}

function currentHash(root: string): string {
  try {
    return sourcesHash(root);
  } catch (error) {
    return `in motion: ${String(error)}`; // a file went away while it was read: that is a change too
  }
}
