import type { JsonObject } from '../protocol/messages.ts';
import type { ToolSpec } from '../protocol/snapshot.ts';
import { namedCalls } from './demo-named-tools.ts';
import { type Place, placeOfZone } from './demo-places.ts';
import { sumsIn } from './demo-sums.ts';
import { type Token, type Topic, tokensOf } from './demo-tokens.ts';

/** One thing that a question asks for. */
export type Want =
  | { readonly type: 'time'; readonly place: Place }
  | { readonly type: 'weather'; readonly place: Place }
  | { readonly type: 'weather_somewhere' }
  | { readonly type: 'sum'; readonly numbers: readonly number[] }
  | { readonly type: 'named_tool'; readonly name: string; readonly input: JsonObject };

interface Found {
  readonly index: number;
  readonly want: Want;
}

const TIME_ANYWHERE = /\bwhat(?:'s| is)? (?:the )?(?:current |local )?time\b|\btime is it\b|\b(?:the|current) time\b/i;
const WEATHER_ANYWHERE = /\bweather\b|\bforecast\b/i;

/** Everything that a question asks for, in its order. Empty where it asks for nothing that the demo model can do. */
export function wantsOf(question: string, tools: readonly ToolSpec[]): readonly Want[] {
  const sums = sumsIn(question).map(({ index, numbers }) => ({ index, want: { type: 'sum' as const, numbers } }));
  const named = namedCalls(question, tools).map(({ index, name, input }) => ({
    index,
    want: { type: 'named_tool' as const, name, input },
  }));
  return [...sums, ...topicsOf(question), ...named].sort((a, b) => a.index - b.index).map(({ want }) => want);
}

/**
 * Gives each topic its places. Places that follow a topic are its own ("time in Rome and Oslo"); a topic that follows a place
 * with no topic takes that one ("Paris weather"); one that is left over takes the last place ("and the time there?").
 */
function topicsOf(question: string): readonly Found[] {
  const found: Found[] = [];
  const tokens = tokensOf(question);
  let open: readonly Topic[] = [];
  let loose: readonly Place[] = [];
  let last: Place | undefined;
  for (const [position, token] of tokens.entries()) {
    const { index } = token;
    const before = tokens[position - 1]?.type;
    if (token.type === 'place') {
      if (open.length === 0) loose = before === 'place' ? [...loose, token.place] : [token.place];
      found.push(...open.map((type) => ({ index, want: { type, place: token.place } })));
      last = token.place;
    } else if (loose.length > 0 && !(before === 'topic' && isAttached(tokens[position + 1]))) {
      found.push(...loose.map((place) => ({ index, want: { type: token.topic, place } })));
    } else {
      open = before === 'topic' && loose.length === 0 ? [...open, token.topic] : [token.topic];
      loose = [];
    }
  }
  const isOpen = tokens.at(-1)?.type === 'topic' && loose.length === 0;
  return isOpen ? [...found, ...leftOver(open, last, question)] : found;
}

function isAttached(token: Token | undefined): boolean {
  return token?.type === 'place' && token.attached;
}

function leftOver(topics: readonly Topic[], last: Place | undefined, question: string): readonly Found[] {
  const index = question.length;
  if (last !== undefined) return topics.map((type) => ({ index, want: { type, place: last } }));
  const found: Found[] = [];
  if (topics.includes('time') && TIME_ANYWHERE.test(question)) {
    found.push({ index, want: { type: 'time', place: placeOfZone('UTC') } });
  }
  if (topics.includes('weather') && WEATHER_ANYWHERE.test(question)) {
    found.push({ index, want: { type: 'weather_somewhere' } });
  }
  return found;
}
