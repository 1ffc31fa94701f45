import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attemptsOf, outcomeOf, withoutResult } from './looks.ts';
import { openScene, type Scene } from './scene.ts';

const KILLED = [{ signal: 'SIGKILL' }];
let scene: Scene;

describe('the leases of a killed worker', () => {
  beforeAll(async () => {
    scene = await openScene('shared');
  });
  afterAll(() => scene.close());

  it('are taken over once when two workers start together', async () => {
    const seen = await scene.crash({ tools: ['save'], fates: ['dies_in_handler'], successors: 2 });
    expect(seen.lost).toMatchObject(KILLED);
    expect(seen.transcript).toEqual(seen.undisturbed);
    expect(attemptsOf(seen, 'save')).toEqual([1, 2]);
    expect(seen.log.match(/took over an attempt/g)).toHaveLength(1);
    expect(seen.log).not.toContain('not taken over');
    expect(seen.leaseFiles.filter((name) => name.includes(`+${seen.lost[0]?.pid}+`))).toEqual([]);
  });

  it('do not touch a sibling whose result is recorded', async () => {
    const meanwhile = killAfterResultOf('read');
    const seen = await scene.crash({ tools: ['save', 'read'], fates: ['hangs_in_handler'], meanwhile });
    expect(seen.lost).toMatchObject(KILLED);
    expect(seen.transcript).toEqual(seen.undisturbed);
    expect(attemptsOf(seen, 'save')).toEqual([1, 2]);
    expect(attemptsOf(seen, 'read')).toEqual([1]);
    expect(seen.requests).toHaveLength(3);
  });
});

describe('without a lease journal the heartbeat timeout decides, and', () => {
  beforeAll(async () => {
    scene = await openScene('none');
  });
  afterAll(() => scene.close());

  it('an idempotent tool is run again', async () => {
    const seen = await scene.crash({ tools: ['save'], fates: ['dies_in_handler'] });
    expect(seen.lost).toMatchObject(KILLED);
    expect(seen.transcript).toEqual(seen.undisturbed);
    expect(attemptsOf(seen, 'save')).toEqual([1, 2]);
    expect(seen.repeated).toBe(0);
  });

  it('a once tool ends as unknown', async () => {
    const seen = await scene.crash({ tools: ['pay'], fates: ['dies_in_handler'] });
    expect(seen.lost).toMatchObject(KILLED);
    expect(seen.result.status).toBe('completed');
    expect(outcomeOf(seen, 'pay')).toBe('unknown');
    expect(attemptsOf(seen, 'pay')).toEqual([1]);
    expect(withoutResult(seen.transcript, 'pay')).toEqual(withoutResult(seen.undisturbed, 'pay'));
  });
});

function killAfterResultOf(tool: string) {
  return async (run: string, { client, fleet }: Scene): Promise<void> => {
    for await (const event of client.events(run)) {
      if (event.type !== 'tool_result' || event.name !== tool) continue;
      fleet.kill(`in one handler, after the result of its sibling ${tool} was recorded`);
      return;
    }
  };
}
