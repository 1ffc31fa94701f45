import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolName } from './agents.ts';
import type { Fate } from './fates.ts';
import { attemptsOf, outcomeOf, textOfResult, withoutResult } from './looks.ts';
import { openScene, type Scene } from './scene.ts';

interface Kill {
  readonly where: string;
  readonly fate: Fate;
  readonly tool: ToolName;
  /** In which the handler started. A quick tool's attempts are each the first of a workflow task's own. */
  readonly attempts: readonly number[];
  /** Model requests: three are needed, and one that was cut off is made again. */
  readonly requests: number;
}

const KILLS: readonly Kill[] = [
  { where: 'before the headers of an answer', fate: 'before_headers', tool: 'read', attempts: [1], requests: 4 },
  { where: 'after the first delta of an answer', fate: 'first_delta', tool: 'read', attempts: [1], requests: 4 },
  { where: 'after the last delta of an answer', fate: 'last_delta', tool: 'read', attempts: [1], requests: 4 },
  { where: 'in the handler of a read tool', fate: 'dies_in_handler', tool: 'read', attempts: [1, 2], requests: 3 },
  {
    where: 'in the handler of an idempotent tool',
    fate: 'dies_in_handler',
    tool: 'save',
    attempts: [1, 2],
    requests: 3,
  },
  { where: 'in the handler of a quick tool', fate: 'dies_in_handler', tool: 'add', attempts: [1, 1], requests: 3 },
  {
    where: 'before the result of a tool is recorded',
    fate: 'dies_after_handler',
    tool: 'save',
    attempts: [1, 2],
    requests: 3,
  },
  { where: 'between two iterations', fate: 'dies_before_model_request', tool: 'save', attempts: [1], requests: 3 },
];

const ONCE_KILLS = [
  { where: 'in the handler of a once tool', fate: 'dies_in_handler' },
  { where: 'before the result of a once tool is recorded', fate: 'dies_after_handler' },
] as const;

const KILLED = [{ signal: 'SIGKILL' }];

describe('a run whose worker is killed', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene('shared');
  });
  afterAll(() => scene.close());

  for (const { where, fate, tool, attempts, requests } of KILLS) {
    it(`${where} ends as if nothing had happened`, async () => {
      const seen = await scene.crash({ tools: [tool], fates: [fate] });
      expect(seen.lost).toMatchObject(KILLED);
      expect(seen.result.status).toBe('completed');
      expect(seen.transcript).toEqual(seen.undisturbed);
      expect(attemptsOf(seen, tool)).toEqual(attempts);
      expect(attemptsOf(seen, 'look')).toEqual([1]);
      expect(seen.requests).toHaveLength(requests);
      expect(seen.repeated).toBe(0);
    });
  }

  for (const { where, fate } of ONCE_KILLS) {
    it(`${where} tells the model that it may have happened`, async () => {
      const seen = await scene.crash({ tools: ['pay'], fates: [fate] });
      expect(seen.lost).toMatchObject(KILLED);
      expect(seen.result.status).toBe('completed');
      expect(outcomeOf(seen, 'pay')).toBe('unknown');
      expect(textOfResult(seen, 'pay')).toContain('it may have happened');
      expect(attemptsOf(seen, 'pay')).toEqual([1]);
      expect(withoutResult(seen.transcript, 'pay')).toEqual(withoutResult(seen.undisturbed, 'pay'));
      expect(seen.requests).toHaveLength(3);
      expect(seen.repeated).toBe(0);
    });
  }

  it('asks the model a third time when the next worker died before the same answer', async () => {
    const seen = await scene.crash({ tools: ['read'], fates: ['first_delta', 'first_delta'] });
    expect(seen.lost).toMatchObject([...KILLED, ...KILLED]);
    expect(seen.transcript).toEqual(seen.undisturbed);
    expect(seen.requests).toHaveLength(5);
    expect(seen.repeated).toBe(0);
  });

  it('runs a handler a third time when the next worker died in it, though it may fail but once', async () => {
    const seen = await scene.crash({ tools: ['save'], fates: ['dies_in_handler', 'dies_in_handler'] });
    expect(seen.lost).toMatchObject([...KILLED, ...KILLED]);
    expect(seen.transcript).toEqual(seen.undisturbed);
    expect(attemptsOf(seen, 'save')).toEqual([1, 2, 3]);
    expect(seen.requests).toHaveLength(3);
    expect(seen.repeated).toBe(0);
  });
});
