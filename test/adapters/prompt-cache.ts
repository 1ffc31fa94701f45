// What the Messages API would read from its cache, for the requests of a run.

const MARK = 'cache_control';

/** A tool, or a block of the instructions or of a message, without its mark. */
export interface CachedBlock {
  readonly text: string;
  readonly marked: boolean;
}

type Body = Readonly<Record<string, unknown>>;

/** The blocks of a request in the order in which the service reads them: tools, system, messages. */
export function cachedBlocks({ tools, system, messages }: Body): CachedBlock[] {
  const sent = listOf(messages).flatMap(({ content }) => listOf(content));
  return [...listOf(tools), ...listOf(system), ...sent].map((block) => {
    const { [MARK]: mark, ...rest } = block;
    return { text: JSON.stringify(rest), marked: mark !== undefined };
  });
}

/**
 * A cache that is empty. Given the blocks of the next request it says how many characters of them are read from it: the
 * longest prefix up to a mark that an earlier request has marked too.
 */
export function createCache(): (blocks: readonly CachedBlock[]) => number {
  const written = new Map<string, number>();
  return (blocks) => {
    let prefix = '';
    let read = 0;
    const marks: string[] = [];
    for (const { text, marked } of blocks) {
      prefix += text;
      read = Math.max(read, written.get(prefix) ?? 0);
      if (marked) marks.push(prefix);
    }
    for (const mark of marks) written.set(mark, mark.length);
    return read;
  };
}

function listOf(value: unknown): readonly Body[] {
  return Array.isArray(value) ? value : [];
}
