import { allBlocks, blocksOf, countCacheMarks, isObject, messagesOf, type WireBlock } from './wire.ts';

/** A request as the checks see it: the parsed body and its text. */
export interface Checked {
  readonly body: unknown;
  readonly text: string;
}

/**
 * The value at a path of a request, undefined where there is none.
 *
 * `a.b[0]`, `[-1]` from the end, `[*]` all items (the value is then a list, absent entries as undefined). At the start
 * also `$body`, `$pairs`, `$all_tool_use_ids`, `$cache_control_count`, `$image_media_types`, `$image_base64_lengths` and
 * `result_of(ID)`. Throws where the path itself is malformed.
 */
export function valueAt(path: string, request: Checked): unknown {
  if (path.startsWith('$')) return specialValue(path, request);
  const result = /^result_of\(([^)]+)\)\.?(.*)$/.exec(path);
  if (!result) return walk(request.body, segmentsOf(path));
  const [, id, rest = ''] = result;
  const block = allBlocks(messagesOf(request.body)).find(
    (each) => each.type === 'tool_result' && each.tool_use_id === id,
  );
  if (rest === 'text') return block && textOf(block);
  return walk(block, segmentsOf(rest));
}

function specialValue(path: string, { body, text }: Checked): unknown {
  const blocks = allBlocks(messagesOf(body));
  switch (path) {
    case '$body':
      return text;
    case '$pairs':
      return messagesOf(body).length > 0 ? messagesOf(body) : undefined;
    case '$all_tool_use_ids':
      return blocks.filter((block) => block.type === 'tool_use').map((block) => block.id);
    case '$cache_control_count':
      return countCacheMarks(body);
    case '$image_media_types':
      return imageSources(blocks).map((source) => source['media_type']);
    case '$image_base64_lengths':
      return imageSources(blocks).map((source) => String(source['data']).length);
    default:
      throw new Error(`unknown path ${path}`);
  }
}

function imageSources(blocks: readonly WireBlock[]): readonly Readonly<Record<string, unknown>>[] {
  const sources = blocks.filter((block) => block.type === 'image').map((block) => block.source);
  return sources.filter(isObject).filter((source) => source['type'] === 'base64');
}

function textOf(block: WireBlock): string {
  const texts = blocksOf(block.content).filter((each) => each.type === 'text');
  return texts.map((each) => String(each.text)).join('');
}

type Segment = string | number | '*';

function segmentsOf(path: string): readonly Segment[] {
  const segments: Segment[] = [];
  const token = /\.?([A-Za-z_$][\w$-]*)|\[(-?\d+|\*)\]/y;
  while (token.lastIndex < path.length) {
    const match = token.exec(path);
    if (!match) throw new Error(`malformed path ${path}`);
    const [, name, index] = match;
    if (name !== undefined) segments.push(name);
    else segments.push(index === '*' ? '*' : Number(index));
  }
  return segments;
}

function walk(value: unknown, segments: readonly Segment[]): unknown {
  const [segment, ...rest] = segments;
  if (segment === undefined) return value;
  if (segment === '*') {
    if (!Array.isArray(value)) return undefined;
    const items = value.map((item) => walk(item, rest));
    return rest.includes('*') ? items.flat() : items;
  }
  if (typeof segment === 'number') return Array.isArray(value) ? walk(value.at(segment), rest) : undefined;
  return isObject(value) ? walk(value[segment], rest) : undefined;
}
