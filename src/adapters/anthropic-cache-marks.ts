// Prompt-cache marks: what stands before a mark is read from the cache by the next request, at a tenth of the price.

/** A block, tool or message part of the wire, as far as marks are concerned. */
export type WireBlock = Readonly<Record<string, unknown>> & { readonly type?: unknown };

/** One message on the wire. */
export interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly WireBlock[];
}

/** The parts of a request that can carry marks. */
export interface Markable {
  readonly system?: readonly WireBlock[];
  readonly tools?: readonly WireBlock[];
  readonly messages: readonly WireMessage[];
}

/** The service refuses a request with more. */
const MAX_MARKS = 4;
/** The newest message is written to the cache; the one before is where the last request wrote, and is read. */
const MARKED_MESSAGES = 2;
/** Blocks that the service lets us mark. Blocks of its own making are never touched. */
const MARKABLE_TYPES: ReadonlySet<unknown> = new Set(['text', 'image', 'document', 'tool_result']);

/**
 * The same request with marks on the newest user messages, the system text and the last tool, as far as the four
 * that the service allows reach beyond `taken` and those already there. Nothing is changed in place.
 */
export function withCacheMarks<T extends Markable>(request: T, taken = 0): T {
  let room = MAX_MARKS - taken - countMarks(request);
  const messages = [...request.messages];
  let wanted = MARKED_MESSAGES;
  for (let i = messages.length - 1; i >= 0 && wanted > 0 && room > 0; i--) {
    const message = messages[i];
    if (message?.role !== 'user') continue;
    wanted--;
    const content = markLast(message.content, (block) => MARKABLE_TYPES.has(block.type));
    if (content === message.content) continue;
    messages[i] = { ...message, content };
    room--;
  }
  const system = room > 0 ? markLast(request.system, isAny) : request.system;
  if (system !== request.system) room--;
  const tools = room > 0 ? markLast(request.tools, isAny) : request.tools;
  return { ...request, messages, ...(system && { system }), ...(tools && { tools }) };
}

/**
 * The same request with the mark that the service itself sets on the last block of the prompt, where the request has none
 * and its blocks' own marks leave room for it.
 */
export function withMovingMark<T extends Markable & { readonly cache_control?: unknown }>(request: T): T {
  if (request.cache_control != null || countMarks(request) >= MAX_MARKS) return request;
  return { ...request, cache_control: { type: 'ephemeral' } };
}

const isAny = () => true;

/** The list with a mark on its last fitting block; the same list where none fits, or it has one. */
function markLast<L extends readonly WireBlock[] | undefined>(blocks: L, fits: (block: WireBlock) => boolean): L {
  const index = blocks?.findLastIndex(fits) ?? -1;
  const block = blocks?.[index];
  if (blocks === undefined || block === undefined || 'cache_control' in block) return blocks;
  return blocks.with(index, { ...block, cache_control: { type: 'ephemeral' } }) as unknown as L;
}

function countMarks(request: Markable): number {
  const said = request.messages.flatMap(({ content }) => content);
  const inside = said.flatMap(({ content }): readonly WireBlock[] => (Array.isArray(content) ? content : []));
  const blocks = [...(request.system ?? []), ...(request.tools ?? []), ...said, ...inside];
  return blocks.filter((block) => block['cache_control'] != null).length;
}
