import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attemptsOf, outcomeOf, textOfResult, withoutResult } from './looks.ts';
import { openScene, type Scene } from './scene.ts';

const CLEAN_EXIT = [{ code: 0, signal: null }];

describe('a worker that is told to stop while a tool runs', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene('shared');
  });
  afterAll(() => scene.close());

  it.each(['save', 'pay'] as const)('lets %s end within the grace, and exits cleanly', async (tool) => {
    const seen = await scene.crash({ tools: [tool], fates: ['stopped_in_handler'] });
    expect(seen.lost).toMatchObject(CLEAN_EXIT);
    expect(seen.transcript).toEqual(seen.undisturbed);
    expect(attemptsOf(seen, tool)).toEqual([1]);
    expect(seen.requests).toHaveLength(3);
    expect(seen.repeated).toBe(0);
  });

  it('hands back an idempotent tool that takes longer than the grace, which is no failure of its own', async () => {
    const seen = await scene.crash({ tools: ['save'], fates: ['stopped_in_long_handler'] });
    expect(seen.lost).toMatchObject(CLEAN_EXIT);
    expect(seen.transcript).toEqual(seen.undisturbed);
    expect(attemptsOf(seen, 'save')).toEqual([1, 2]);
    expect(seen.repeated).toBe(0);
  });

  it('ends a once tool that takes longer than the grace as unknown', async () => {
    const seen = await scene.crash({ tools: ['pay'], fates: ['stopped_in_long_handler'] });
    expect(seen.lost).toMatchObject(CLEAN_EXIT);
    expect(seen.result.status).toBe('completed');
    expect(outcomeOf(seen, 'pay')).toBe('unknown');
    expect(textOfResult(seen, 'pay')).toContain('may have');
    expect(attemptsOf(seen, 'pay')).toEqual([1]);
    expect(withoutResult(seen.transcript, 'pay')).toEqual(withoutResult(seen.undisturbed, 'pay'));
    expect(seen.repeated).toBe(0);
  });
});
