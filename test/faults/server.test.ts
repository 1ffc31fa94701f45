import { afterAll, describe, expect, it } from 'vitest';
import type { ToolName } from '../crash/agents.ts';
import { attemptsOf, outcomeOf, textOfResult, withoutResult } from '../crash/looks.ts';
import { OwnServer } from './own-server.ts';
import type { Point } from './points.ts';
import { Pool } from './pool.ts';
import { FaultScene, type Seen } from './scene.ts';

/** Tests wait for one another's stage. */
const TIMEOUT_MS = 120_000;

/** Two are as many as the machine has cores. */
const stages = new Pool(2, openStage);
afterAll(() => stages.close());

/** A scene with a server of its own, which may be killed. */
async function openStage() {
  const server = await OwnServer.open();
  const scene = await FaultScene.open({ address: server.address });
  const close = async () => {
    await scene.close();
    await server.close();
  };
  return { scene, server, close };
}

interface Kill {
  readonly where: string;
  readonly at: Point;
  readonly tool: ToolName;
  /** Whether what is going on at the point waits for the server's return, or ends while it is away. */
  readonly back: 'during' | 'after';
}

const SERVER_KILLS: readonly Kill[] = [
  { where: 'before the headers of an answer', at: 'before_headers', tool: 'read', back: 'during' },
  { where: 'after the first delta of an answer', at: 'first_delta', tool: 'read', back: 'after' },
  { where: 'after the last delta of an answer', at: 'last_delta', tool: 'read', back: 'after' },
  { where: 'in the handler of a read tool', at: 'in_handler', tool: 'read', back: 'during' },
  { where: 'in that of an idempotent tool', at: 'in_handler', tool: 'save', back: 'after' },
  { where: 'in that of a once tool', at: 'in_handler', tool: 'pay', back: 'during' },
  { where: 'after the handler of a once tool', at: 'after_handler', tool: 'pay', back: 'after' },
  { where: 'after that of an idempotent tool', at: 'after_handler', tool: 'save', back: 'after' },
  { where: 'between two iterations', at: 'between_iterations', tool: 'save', back: 'after' },
];

describe.concurrent('a run whose server is killed and started again', { timeout: TIMEOUT_MS }, () => {
  it.for(SERVER_KILLS)('$where ends as if nothing had happened', async ({ at, tool, back }) => {
    await stages.lend(async ({ scene, server }) => {
      const seen = await scene.play({ tools: [tool], at, victims: [server.pid], [back]: () => server.restart() });
      expectUndisturbed(seen, tool);
      expect(attemptsOf(seen, tool)).toEqual([1]);
      expect(seen.requests).toHaveLength(3);
      expect(seen.repeated).toBe(0);
    });
  });

  it.for<Pick<Kill, 'where' | 'at' | 'back'>>([
    { where: 'in the handler of a quick tool', at: 'in_handler', back: 'during' },
    { where: 'after the handler of a quick tool', at: 'after_handler', back: 'after' },
  ])('$where calls it again only if its workflow task was lost', async ({ at, back }) => {
    await stages.lend(async ({ scene, server }) => {
      const seen = await scene.play({ tools: ['add'], at, victims: [server.pid], [back]: () => server.restart() });
      expectUndisturbed(seen, 'add');
      expect([[1], [1, 1]]).toContainEqual(attemptsOf(seen, 'add')); // each the first attempt of a workflow task's own
      expect(seen.requests).toHaveLength(3);
      expect(seen.repeated).toBe(0);
    });
  });
});

describe.concurrent('a run whose server and worker are killed and started again', { timeout: TIMEOUT_MS }, () => {
  it.for([
    { where: 'before the headers of an answer', at: 'before_headers', tool: 'read', attempts: [1], requests: 4 },
    { where: 'after the first delta of an answer', at: 'first_delta', tool: 'read', attempts: [1], requests: 4 },
    { where: 'after the last delta of an answer', at: 'last_delta', tool: 'read', attempts: [1], requests: 4 },
    { where: 'in the handler of a read tool', at: 'in_handler', tool: 'read', attempts: [1, 2], requests: 3 },
    { where: 'in that of an idempotent tool', at: 'in_handler', tool: 'save', attempts: [1, 2], requests: 3 },
    { where: 'in that of a quick tool', at: 'in_handler', tool: 'add', attempts: [1, 1], requests: 3 },
    { where: 'before its result is recorded', at: 'after_handler', tool: 'save', attempts: [1, 2], requests: 3 },
    { where: 'between two iterations', at: 'between_iterations', tool: 'save', attempts: [1], requests: 3 },
  ] as const)('$where ends as if nothing had happened', async ({ at, tool, attempts, requests }) => {
    const seen = await killBoth(at, tool);
    expectUndisturbed(seen, tool);
    expect(attemptsOf(seen, tool)).toEqual(attempts);
    expect(seen.requests).toHaveLength(requests);
    expect(seen.repeated).toBe(0);
  });

  it.for([
    { where: 'in the handler of a once tool', at: 'in_handler' },
    { where: 'before the result of a once tool is recorded', at: 'after_handler' },
  ] as const)('$where tells the model that it may have happened', async ({ at }) => {
    const seen = await killBoth(at, 'pay');
    expectUnknown(seen, 'pay');
    expect(seen.repeated).toBe(0);
  });

  function killBoth(at: Point, tool: ToolName): Promise<Seen> {
    return stages.lend(({ scene, server }) => {
      const victims = [server.pid, scene.workerPid];
      const after = async () => {
        await server.restart();
        await scene.replaceWorker();
      };
      return scene.play({ tools: [tool], at, victims, after });
    });
  }
});

function expectUndisturbed(seen: Seen, tool: ToolName): void {
  expect(seen.result.status).toBe('completed');
  expect(seen.transcript).toEqual(seen.undisturbed);
  expect(outcomeOf(seen, tool)).toBe('completed');
  expect(attemptsOf(seen, 'look')).toEqual([1]);
  expect(seen.repeatedRecorded).toBe(0);
}

function expectUnknown(seen: Seen, tool: ToolName): void {
  expect(seen.result.status).toBe('completed');
  expect(outcomeOf(seen, tool)).toBe('unknown');
  expect(textOfResult(seen, tool)).toContain('it may have happened');
  expect(attemptsOf(seen, tool)).toEqual([1]);
  expect(withoutResult(seen.transcript, tool)).toEqual(withoutResult(seen.undisturbed, tool));
  expect(seen.requests).toHaveLength(3);
  expect(seen.repeatedRecorded).toBe(0);
}
