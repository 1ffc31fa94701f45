import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOrphaned } from '../../src/activities/lease-file.ts';
import { isAlive } from '../../src/temporal/process-identity.ts';
import { FATAL_ITERATION } from '../crash/fates.ts';
import { attemptsOf } from '../crash/looks.ts';
import { answerTo, iterationOf } from '../crash/script.ts';
import type { Answer } from '../fake-model-api/answers.ts';
import type { RecordedRequest } from '../fake-model-api/recorded-request.ts';
import { testTemporal } from '../support/server.ts';
import { FaultScene, type Seen } from './scene.ts';
import { findFaketime, ShiftedClock } from './shifted-clock.ts';

const HOUR_S = 3_600;
const JUMPS = [
  { way: 'forward', seconds: HOUR_S },
  { way: 'back', seconds: -HOUR_S },
] as const;

const library = findFaketime();

/** Skipped where Debian's libfaketime is not installed, but never in CI. */
describe.skipIf(library === undefined && process.env['CI'] === undefined)('a worker whose clock jumps an hour', () => {
  let clock: ShiftedClock;
  let scene: FaultScene;
  let limits = 0;

  beforeAll(async () => {
    if (library === undefined) throw new Error('libfaketime is not installed (Debian: apt install libfaketime)');
    clock = await ShiftedClock.open(library);
    scene = await FaultScene.open({ address: testTemporal().address, env: clock.env, respond });
  });
  afterAll(async () => {
    await scene.close();
    await clock.close();
  });

  /** The model asks for patience once a jump has been ordered. */
  function respond(request: RecordedRequest): Answer {
    if (limits === 0 || iterationOf(request) !== FATAL_ITERATION + 1) return answerTo(request);
    limits--;
    const error = { type: 'rate_limit_error', message: 'Slow down.' };
    return { status: 429, headers: { 'retry-after': '1' }, body: { type: 'error', error } };
  }

  it.each(JUMPS)('$way in a handler, goes on as if nothing had happened', async ({ seconds }) => {
    await clock.shift(0);
    const seen = await scene.play({ tools: ['save', 'read'], at: 'in_handler', during: () => clock.shift(seconds) });
    expectUndisturbed(seen);
    expect(attemptsOf(seen, 'save')).toEqual([1]);
    expect(seen.requests).toHaveLength(3);
  });

  it.each(JUMPS)('$way in an answer of the model, goes on as if nothing had happened', async ({ seconds }) => {
    await clock.shift(0);
    const seen = await scene.play({ tools: ['read'], at: 'first_delta', during: () => clock.shift(seconds) });
    expectUndisturbed(seen);
    expect(seen.requests).toHaveLength(3);
    expectShift(seen, seconds);
  });

  it.each(JUMPS)('$way, waits as long as the model asks for', async ({ seconds }) => {
    await clock.shift(0);
    const during = async () => {
      limits = 1;
      await clock.shift(seconds);
    };
    const seen = await scene.play({ tools: ['save'], at: 'in_handler', during });
    expectUndisturbed(seen);
    expect(attemptsOf(seen, 'save')).toEqual([1]);
    expect(seen.requests.map(({ status }) => status)).toEqual([200, 200, 429, 200]);
  });

  it.each(JUMPS)('$way, and is killed, is known for dead, and the next one for alive', async ({ seconds }) => {
    await clock.shift(0);
    const during = () => clock.shift(seconds);
    await scene.play({ tools: ['read'], at: 'first_delta', during });
    const victims = [scene.workerPid];
    const seen = await scene.play({ tools: ['save'], at: 'in_handler', victims, after: () => scene.replaceWorker() });
    expectUndisturbed(seen);
    expect(attemptsOf(seen, 'save')).toEqual([1, 2]);
    expect(seen.requests).toHaveLength(3);
    expect(seen.log).toContain('took over an attempt of a dead worker');
    expectShift(seen, seconds);
  });
});

/** The worker's lease file names it as others see it. */
function expectUndisturbed(seen: Seen): void {
  expect(seen.leaseFiles.length).toBeGreaterThan(0);
  expect(seen.leaseFiles.filter((name) => isOrphaned(name, isAlive))).toEqual([]);
  expect(seen.result.status).toBe('completed');
  expect(seen.transcript).toEqual(seen.undisturbed);
  expect(attemptsOf(seen, 'look')).toEqual([1]);
}

/** The last handler looked at a clock that had jumped: half an hour is far from both sides. */
function expectShift(seen: Seen, seconds: number): void {
  const start = seen.starts.at(-1);
  const offMs = (start?.atMs ?? 0) - Date.now();
  expect(Math.round(offMs / 1_000 / HOUR_S)).toBe(seconds / HOUR_S);
}
