const MICROS_PER_USD = 1_000_000;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** A whole number with its digits in groups of three: `4 310`. */
export function grouped(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ' ');
}

/** Money in USD: cents from a dollar on, smaller sums with as many digits as mean something. */
export function usd(micros: number): string {
  const dollars = micros / MICROS_PER_USD;
  if (dollars >= 1 || dollars === 0) return `$${dollars.toFixed(2)}`;
  return `$${dollars.toFixed(6).replace(/0{1,4}$/, '')}`;
}

/** A duration as a person says it: `45 ms`, `1.2 s`, `2 min 5 s`, `1 h 3 min`. */
export function duration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ${Math.floor((ms % MINUTE_MS) / SECOND_MS)} s`;
  return `${Math.floor(ms / HOUR_MS)} h ${Math.floor((ms % HOUR_MS) / MINUTE_MS)} min`;
}

/** A number with its noun, in the plural where it must be. */
export function counted(value: number, noun: string): string {
  return `${grouped(value)} ${noun}${value === 1 ? '' : 's'}`;
}
