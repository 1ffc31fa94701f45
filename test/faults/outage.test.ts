// What is finished while the server is away for longer than the SDK offers a result to it. All cases share one outage.

import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ToolName, WITH_LEASES, WITHOUT_LEASES } from '../crash/agents.ts';
import { attemptsOf, outcomeOf, textOfResult, withoutResult } from '../crash/looks.ts';
import { testTemporal } from '../support/server.ts';
import { OwnServer } from './own-server.ts';
import type { Point } from './points.ts';
import { FaultProxy } from './proxy.ts';
import { FaultScene, type Seen } from './scene.ts';

const TIMEOUT_MS = 120_000;
/** Longer than the SDK offers a result (10 s), and well within the usual heartbeat time-out. */
const OUTAGE_MS = 12_000;
/** The heartbeat time-outs: thirty seconds, and two. */
const [PATIENT, HASTY] = [WITH_LEASES, WITHOUT_LEASES];

interface Case {
  readonly agent: string;
  readonly at: Point;
  readonly tools: readonly [ToolName, ...ToolName[]];
}

const MODEL = { at: 'last_delta', tools: ['read'] } as const;
const TOOLS = { at: 'in_handler', tools: ['read', 'save', 'pay'] } as const;
const IN_OUTAGE = {
  model: { agent: PATIENT, ...MODEL },
  tools: { agent: PATIENT, ...TOOLS },
  lateModel: { agent: HASTY, ...MODEL },
  lateTools: { agent: HASTY, ...TOOLS },
} as const satisfies Record<string, Case>;
const ON_SILENT_LINE: Case = { agent: PATIENT, at: 'in_handler', tools: ['pay'] };

/** A server that is killed when all cases are at their points, and comes back for all of them. */
class Outage {
  readonly #server: OwnServer;
  readonly #begun: Promise<void>;
  #awaited: number;
  #begin: () => void = () => undefined;
  #ended: Promise<void> | undefined;

  constructor(server: OwnServer, awaited: number) {
    this.#server = server;
    this.#awaited = awaited;
    this.#begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  /** Resolves when the server is gone. */
  async begin(): Promise<void> {
    this.#awaited--;
    if (this.#awaited > 0) return await this.#begun;
    process.kill(this.#server.pid, 'SIGKILL');
    await this.#server.gone();
    this.#begin();
  }

  /** Resolves when the server is back. */
  end(): Promise<void> {
    this.#ended ??= delay(OUTAGE_MS).then(() => this.#server.start());
    return this.#ended;
  }
}

async function playInOutage<Name extends string>(cases: Readonly<Record<Name, Case>>): Promise<Record<Name, Seen>> {
  const server = await OwnServer.open();
  const named = Object.entries<Case>(cases);
  const outage = new Outage(server, named.length);
  const play = async ([name, one]: [string, Case]) => {
    const scene = await FaultScene.open({ address: server.address });
    const playing = scene.play({ ...one, during: () => outage.begin(), after: () => outage.end() });
    return [name, await playing.finally(() => scene.close())];
  };
  return Object.fromEntries(await Promise.all(named.map(play)).finally(() => server.close()));
}

/** The server lives, but nothing passes between it and the worker. */
async function playOnSilentLine(one: Case): Promise<Seen> {
  const { address } = testTemporal();
  const proxy = await FaultProxy.open(address);
  const scene = await FaultScene.open({ address, workerAddress: proxy.address });
  const after = async () => {
    await delay(OUTAGE_MS);
    proxy.heal();
  };
  const close = async () => {
    await scene.close();
    await proxy.close();
  };
  return await scene.play({ ...one, during: () => proxy.swallow(), after }).finally(close);
}

async function playAll() {
  const [inOutage, silent] = await Promise.all([playInOutage(IN_OUTAGE), playOnSilentLine(ON_SILENT_LINE)]);
  return { ...inOutage, silent };
}

let seen: Awaited<ReturnType<typeof playAll>>;
beforeAll(async () => {
  seen = await playAll();
}, TIMEOUT_MS);

describe('a server that is back before the heartbeat time-out', () => {
  it('gets the answer of a model, which is asked once', () => {
    expect(seen.model.requests).toHaveLength(3);
    expect(seen.model.transcript).toEqual(seen.model.undisturbed);
  });

  it.for(TOOLS.tools)('gets the result of %s, whose handler runs once', (tool) => {
    expect(outcomeOf(seen.tools, tool)).toBe('completed');
    expect(attemptsOf(seen.tools, tool)).toEqual([1]);
    expect(seen.tools.transcript).toEqual(seen.tools.undisturbed);
  });

  it('gets the result of a once tool also where it was away for the worker alone', () => {
    expect(outcomeOf(seen.silent, 'pay')).toBe('completed');
    expect(attemptsOf(seen.silent, 'pay')).toEqual([1]);
    expect(seen.silent.transcript).toEqual(seen.silent.undisturbed);
  });
});

describe('a server that is back after the heartbeat time-out', () => {
  it('gets the answer of a model from the next attempt, and the model is asked once', () => {
    expect(seen.lateModel.requests).toHaveLength(3);
    expect(seen.lateModel.transcript).toEqual(seen.lateModel.undisturbed);
  });

  it.for(['read', 'save'] as const)(
    'gets the result of %s from the next attempt, and the handler runs once',
    (tool) => {
      expect(outcomeOf(seen.lateTools, tool)).toBe('completed');
      expect(attemptsOf(seen.lateTools, tool)).toEqual([1]);
    },
  );

  it('is told nothing of a once tool, and the model that it may have happened', () => {
    const { lateTools } = seen;
    expect(outcomeOf(lateTools, 'pay')).toBe('unknown');
    expect(textOfResult(lateTools, 'pay')).toContain('it may have happened');
    expect(attemptsOf(lateTools, 'pay')).toEqual([1]);
    expect(withoutResult(lateTools.transcript, 'pay')).toEqual(withoutResult(lateTools.undisturbed, 'pay'));
  });
});

it('nothing that was recorded is done again, and all runs are completed', () => {
  for (const { result, repeatedRecorded } of Object.values(seen)) {
    expect(result.status).toBe('completed');
    expect(repeatedRecorded).toBe(0);
  }
});
