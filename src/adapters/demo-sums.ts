/** A sum of a question: two or more numbers, and where it stands. What is subtracted is a negative number. */
export interface Sum {
  readonly index: number;
  readonly numbers: readonly number[];
}

const NUMBER = String.raw`[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?`;
const SIGNED = String.raw`(?:minus\s+)?${NUMBER}`;
/** `1 + 2 - 3`, `2.5 plus 3`. A bare hyphen needs spaces around it, or every date would be a sum. */
const CHAIN = String.raw`(?<![\w.,])${SIGNED}(?:\s*(?:\+|\bplus\b)\s*${SIGNED}|\s+(?:[-−]|minus)\s+${SIGNED})+(?!\w)`;
/** `add 1, 2 and 3`, `the sum of 1 and 2`. */
const LISTED = String.raw`\b(?:add|sum\s+of|sum|total\s+of)\s+${SIGNED}(?:\s*(?:,\s*and\b|,|\band\b|\bto\b)\s*${SIGNED})+(?!\w)`;
const SUM = new RegExp(`${LISTED}|${CHAIN}`, 'gi');
const TERM = new RegExp(String.raw`(\bminus\b|[-−](?=\s))?\s*(${NUMBER})`, 'gi');

/** The sums of a question, in order. */
export function sumsIn(question: string): readonly Sum[] {
  return [...question.matchAll(SUM)].map(({ 0: text, index }) => ({
    index,
    numbers: [...text.matchAll(TERM)].map(([, minus, digits = '']) => {
      const value = Number(digits.replaceAll(',', '').replace('−', '-'));
      return minus === undefined ? value : -value;
    }),
  }));
}
