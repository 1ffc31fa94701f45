import { describe, expect, it } from 'vitest';
import { Sightings } from './sightings.ts';

const isEven = (n: number) => n % 2 === 0;
const never = new AbortController().signal;

describe('sightings', () => {
  it('give what is there already', async () => {
    const seen = new Sightings<number>();
    seen.push(1);
    seen.push(2);
    expect(await seen.nth(1, isEven, never)).toBe(2);
  });

  it('wait for the nth that fits', async () => {
    const seen = new Sightings<number>();
    const second = seen.nth(2, isEven, never);
    for (const n of [2, 3, 4]) seen.push(n);
    expect(await second).toBe(4);
  });

  it('stop waiting when the signal aborts', async () => {
    const stop = new AbortController();
    const waiting = new Sightings<number>().nth(1, isEven, stop.signal);
    stop.abort(new Error('over'));
    await expect(waiting).rejects.toThrow();
  });
});
