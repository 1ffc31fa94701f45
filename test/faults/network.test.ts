import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { ToolName } from '../crash/agents.ts';
import { attemptsOf, outcomeOf } from '../crash/looks.ts';
import { testTemporal } from '../support/server.ts';
import type { Point } from './points.ts';
import { Pool } from './pool.ts';
import { FaultProxy } from './proxy.ts';
import { FaultScene, type Seen } from './scene.ts';

/** Tests wait for one another's stage. */
const TIMEOUT_MS = 90_000;
const LATENCY_MS = 200;
/** A poor mobile line; a run moves some ten KB after the point. */
const BYTES_PER_SECOND = 20_000;
/** Longer than a busy machine needs for any single message, and shorter than the SDK offers a result to the server. */
const SILENCE_MS = 3_000;

/** A scene whose worker reaches the server and the model through proxies. */
interface Stage {
  readonly scene: FaultScene;
  readonly toServer: FaultProxy;
  readonly toModel: FaultProxy;
  close(): Promise<void>;
}

async function openStage(): Promise<Stage> {
  const { address } = testTemporal();
  const toServer = await FaultProxy.open(address);
  let toModel: FaultProxy | undefined;
  const scene = await FaultScene.open({
    address,
    workerAddress: toServer.address,
    modelUrl: async ({ url }) => {
      toModel = await FaultProxy.open(url);
      return `http://${toModel.address}`;
    },
  });
  if (toModel === undefined) throw new Error('the worker did not ask for the address of the model');
  const proxies = [toServer, toModel];
  const close = async () => {
    await scene.close();
    await Promise.all(proxies.map((proxy) => proxy.close()));
  };
  return { scene, toServer, toModel, close };
}

const TOOL: ToolName = 'save';

const stages = new Pool(2, openStage);
afterAll(() => stages.close());

/** What is done to a line, and how the proxy shows that it was. */
interface Trouble {
  readonly what: string;
  begin(proxy: FaultProxy): void;
  readonly end?: (proxy: FaultProxy) => Promise<void>;
  traces(proxy: FaultProxy): number;
}

const CUT: Trouble = { what: 'is cut', begin: (proxy) => proxy.cut(), traces: ({ broken }) => broken };
const RESET: Trouble = {
  what: 'is reset in mid-message',
  begin: (proxy) => proxy.resetInNextMessage(),
  traces: ({ broken }) => broken,
};
const SLOW: Trouble = {
  what: `takes ${LATENCY_MS} ms each way`,
  begin: (proxy) => proxy.delay(LATENCY_MS),
  traces: ({ heldBackBytes }) => heldBackBytes,
};
const NARROW: Trouble = {
  what: `passes ${BYTES_PER_SECOND} bytes a second`,
  begin: (proxy) => proxy.throttle(BYTES_PER_SECOND),
  traces: ({ heldBackBytes }) => heldBackBytes,
};
const SILENT: Trouble = {
  what: `swallows everything for ${SILENCE_MS} ms and is reset`,
  begin: (proxy) => proxy.swallow(),
  end: async (proxy) => {
    await delay(SILENCE_MS);
    proxy.heal();
  },
  traces: ({ swallowedBytes }) => swallowedBytes,
};

interface Fault {
  readonly trouble: Trouble;
  readonly at: Point;
}

/** Plays a run whose line gets into trouble at a point; throws where the line was not touched. */
async function play(line: 'toServer' | 'toModel', { trouble, at }: Fault): Promise<Seen> {
  return await stages.lend(async (stage) => {
    const proxy = stage[line];
    const before = trouble.traces(proxy);
    const seen = await stage.scene.play({
      tools: [TOOL],
      at,
      during: () => trouble.begin(proxy),
      after: () => trouble.end?.(proxy),
    });
    proxy.heal();
    expect(trouble.traces(proxy)).toBeGreaterThan(before);
    return seen;
  });
}

describe.concurrent('a run whose line to the server', { timeout: TIMEOUT_MS }, () => {
  it.for(
    faults([
      [CUT, 'in_handler'],
      [CUT, 'last_delta'],
      [RESET, 'in_handler'],
      [RESET, 'last_delta'],
      [SLOW, 'before_headers'],
      [NARROW, 'before_headers'],
      [SILENT, 'in_handler'],
      [SILENT, 'last_delta'],
    ]),
  )('$trouble.what at $at ends as if nothing had happened', async (fault) => {
    const seen = await play('toServer', fault);
    expectUndisturbed(seen);
    expect(seen.requests).toHaveLength(3);
  });
});

describe.concurrent('a run whose line to the model', { timeout: TIMEOUT_MS }, () => {
  it.for(
    faults([
      [CUT, 'before_headers'],
      [CUT, 'first_delta'],
      [RESET, 'before_headers'],
      [RESET, 'first_delta'],
      [SILENT, 'first_delta'],
    ]),
  )('$trouble.what at $at asks again, and ends as if nothing had happened', async (fault) => {
    const seen = await play('toModel', fault);
    expectUndisturbed(seen);
    expect(seen.requests).toHaveLength(4);
  });

  it.for(
    faults([
      [SLOW, 'before_headers'],
      [NARROW, 'before_headers'],
    ]),
  )('$trouble.what ends as if nothing had happened', async (fault) => {
    const seen = await play('toModel', fault);
    expectUndisturbed(seen);
    expect(seen.requests).toHaveLength(3);
  });
});

function faults(pairs: readonly (readonly [trouble: Trouble, at: Point])[]): Fault[] {
  return pairs.map(([trouble, at]) => ({ trouble, at }));
}

function expectUndisturbed(seen: Seen): void {
  expect(seen.result.status).toBe('completed');
  expect(seen.transcript).toEqual(seen.undisturbed);
  expect(outcomeOf(seen, TOOL)).toBe('completed');
  expect(attemptsOf(seen, TOOL)).toEqual([1]);
  expect(attemptsOf(seen, 'look')).toEqual([1]);
  expect(seen.repeatedRecorded).toBe(0);
}
