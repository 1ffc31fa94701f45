import { KNOWN_PLACES, type Place, placeNamed, placeOfZone } from './demo-places.ts';

/** What a question may be about, where a place belongs to it. */
export type Topic = 'time' | 'weather';

/** A word or words of a question that the demo model's rules know. */
export type Token =
  | { readonly type: 'topic'; readonly index: number; readonly topic: Topic }
  /** `attached`: it follows `in`, `for` or `at`, and so belongs to what stands before it. */
  | { readonly type: 'place'; readonly index: number; readonly place: Place; readonly attached: boolean };

const TIME =
  /\b(?:what|which)(?:'s| is)? (?:the )?(?:day|date)\b|(?<!\b(?:next|last|this|first|any|some|every|each|long|same|of|my|your) )\btime\b|o'?clock|\bweekday\b/gi;
const WEATHER = /\b(?:weather|forecast|temperature|rain(?:ing|y)?|snow(?:ing|y)?|sunny|windy|humid|hot|cold|warm)\b/gi;
const ZONE = /\b[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z0-9_+-]*)+|\b(?:UTC|GMT)\b/g;
const KNOWN_PLACE = new RegExp(`(?<!\\p{L})(?:${KNOWN_PLACES})(?!\\p{L})`, 'giu');
/** Words that stand where a place stands: after `in`, `for`, `at`, and, with a capital, in a list. */
const CAPITALISED = String.raw`\p{Lu}[\p{L}'’-]*`;
const OTHER_PLACE = new RegExp(
  `(?<=\\b(?:in|for|at)\\s)(?:(?:St|Mt)\\.\\s)?\\p{L}[\\p{L}'’-]*(?:\\s${CAPITALISED})*` +
    `|(?<=\\b(?:and|or)\\s|,\\s)${CAPITALISED}(?:\\s${CAPITALISED})*`,
  'gu',
);
/** Words that stand there too and are no places. */
const NO_PLACES: ReadonlySet<string> = new Set(
  (
    'a an the my your this that it i total all me us and or is are was what when where which how who why now today ' +
    'tomorrow right please general fact advance celsius fahrenheit degrees there here tell give then also do does can could'
  ).split(' '),
);

/** The topics and places of a question, in order. */
export function tokensOf(question: string): readonly Token[] {
  const tokens: Token[] = [];
  let rest = question;
  const take = (pattern: RegExp, tokenOf: (words: string, index: number) => Token | undefined) => {
    // What is taken becomes as many hyphens, so that a later pattern neither sees it nor loses its position.
    rest = rest.replace(pattern, (words: string, index: number) => {
      const token = tokenOf(words, index);
      if (token === undefined) return words;
      tokens.push(token);
      return '-'.repeat(words.length);
    });
  };
  const placeAt = (index: number, place: Place): Token => {
    return {
      type: 'place',
      index,
      place,
      attached: /\b(?:in|for|at)\s$/i.test(question.slice(Math.max(0, index - 6), index)),
    };
  };
  take(ZONE, (words, index) => placeAt(index, placeOfZone(words)));
  take(KNOWN_PLACE, (words, index) => placeAt(index, placeNamed(words)));
  take(TIME, (_, index) => ({ type: 'topic', index, topic: 'time' }));
  take(WEATHER, (_, index) => ({ type: 'topic', index, topic: 'weather' }));
  take(OTHER_PLACE, (words, index) => {
    const place = otherPlace(words);
    return place === undefined ? undefined : placeAt(index, place);
  });
  return tokens.sort((a, b) => a.index - b.index);
}

function otherPlace(words: string): Place | undefined {
  const all = words.split(/\s/);
  const end = all.findIndex((word) => NO_PLACES.has(word.toLowerCase()));
  const name = (end === -1 ? all : all.slice(0, end)).join(' ');
  return name === '' ? undefined : placeNamed(name);
}
