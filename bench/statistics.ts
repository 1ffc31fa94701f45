/** The middle one of the values, or the mean of the two in the middle. Throws where there is none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  if (low === undefined || high === undefined) throw new Error('the median of nothing');
  return (low + high) / 2;
}

/** A number with at most `digits` digits after the point. */
export function rounded(value: number, digits = 0): number {
  return Number(value.toFixed(digits));
}

/** Median and raw values on one line. */
export function withRaw(values: readonly number[], digits = 0): string {
  return `${rounded(median(values), digits)} (${values.map((value) => rounded(value, digits)).join(' ')})`;
}

/** The variants in the order of a round: each other round goes backwards, so that drift favours nobody. */
export function orderOf<T>(variants: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? variants : [...variants].reverse();
}
