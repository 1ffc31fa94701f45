import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { AgentClient } from '../../src/client/agent-client.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { Message } from '../../src/protocol/messages.ts';
import type { RunResult } from '../../src/protocol/run.ts';
import { type FakeModelApi, startFakeModelApi } from '../fake-model-api/fake-model-api.ts';
import { countRepeatedCompleted, type RecordedRequest } from '../fake-model-api/recorded-request.ts';
import { testTemporal } from '../support/server.ts';
import { type ToolName, WITH_LEASES, WITHOUT_LEASES } from './agents.ts';
import { cuts, tellLosses } from './cuts.ts';
import { Fleet, type Plan } from './fleet.ts';
import type { HandlerStart } from './reports.ts';
import { answerTo, promptFor } from './script.ts';
import type { Exit } from './worker-process.ts';

/** Less than the heartbeat timeout of 30 s, which therefore can save no run that has leases. */
const RUN_TIMEOUT_MS = 25_000;
/** What a failure shows of the workers' logs. */
const LOG_TAIL_CHARS = 3_000;

/** Whether the workers of a scene keep lease journals. */
export type Journal = 'shared' | 'none';

/** A run during which workers are lost. */
export interface Crash extends Pick<Plan, 'fates' | 'successors'> {
  /** What the model is told to use in the fatal iteration; the fates wait in the handler of the first. */
  readonly tools: readonly [ToolName, ...ToolName[]];
  /** What the test does itself while the run goes on. */
  readonly meanwhile?: (run: string, scene: Scene) => Promise<void>;
}

/** What was seen of it. */
export interface Seen {
  readonly result: RunResult;
  readonly transcript: readonly Message[];
  /** Of the same run, played just before, in which no worker was lost. */
  readonly undisturbed: readonly Message[];
  readonly events: readonly RunEvent[];
  readonly requests: readonly RecordedRequest[];
  /** Model requests whose answer had been given in full before. */
  readonly repeated: number;
  readonly starts: readonly HandlerStart[];
  /** The processes that were lost, in order. */
  readonly lost: readonly Exit[];
  /** Names of the lease files while the last workers live. */
  readonly leaseFiles: readonly string[];
  /** What the workers wrote that took over. */
  readonly log: string;
}

interface Parts {
  readonly home: string;
  readonly journal: Journal;
  readonly connection: Connection;
  readonly fake: FakeModelApi;
  readonly fleet: Fleet;
  readonly taskQueue: string;
}

/** A queue, its workers, and the model behind them. */
export class Scene {
  readonly client: AgentClient;
  readonly fleet: Fleet;
  readonly #parts: Parts;
  readonly #temporal: Client;
  #run = '';

  constructor(parts: Parts) {
    const { connection, taskQueue } = parts;
    this.#temporal = new Client({ connection });
    this.client = new AgentClient({ client: this.#temporal, taskQueue });
    this.fleet = parts.fleet;
    this.#parts = parts;
  }

  /** Plays a run, prints where workers were lost and how soon the model was asked again, and tells what was seen. */
  async crash(crash: Crash): Promise<Seen> {
    const plan: Plan = { ...crash, tool: crash.tools[0] };
    await this.fleet.prepare(plan);
    try {
      const undisturbed = await this.#play(crash.tools);
      const before = this.#parts.fake.requests.length;
      const course = await this.fleet.carryOut(plan);
      const played = await this.#play(crash.tools, crash.meanwhile);
      const lost = await Promise.all(course.exits);
      const requests = this.#parts.fake.requests.slice(before);
      tellLosses(course, { requests });
      return {
        ...played,
        undisturbed: undisturbed.transcript,
        requests,
        repeated: countRepeatedCompleted(requests),
        starts: course.starts,
        lost,
        leaseFiles: await this.#leaseFiles(),
        log: course.workers
          .slice(1)
          .map(({ log }) => log)
          .join('\n'),
      };
    } catch (error) {
      await this.#giveUp();
      const log = this.fleet.log.slice(-LOG_TAIL_CHARS);
      throw new Error(`the run did not end; its workers wrote:\n${log}`, { cause: error });
    } finally {
      await this.fleet.keepOne();
    }
  }

  async close(): Promise<void> {
    const { fleet, fake, connection, home } = this.#parts;
    await fleet.end();
    await Promise.all([fake.close(), connection.close(), rm(home, { recursive: true })]);
  }

  async #play(tools: Crash['tools'], meanwhile?: Crash['meanwhile']) {
    const agent = this.#parts.journal === 'shared' ? WITH_LEASES : WITHOUT_LEASES;
    const { run } = await this.client.start({ agent, prompt: promptFor(tools) });
    this.#run = run;
    const ended = this.client.result(run, { signal: AbortSignal.timeout(RUN_TIMEOUT_MS) });
    const [result] = await Promise.all([ended, meanwhile?.(run, this)]);
    const events: RunEvent[] = [];
    for await (const event of this.client.events(run, { until: 'now' })) events.push(event);
    return { result, events, transcript: await this.client.transcript(run) };
  }

  /** Nothing of a run that failed may reach the next test. */
  async #giveUp(): Promise<void> {
    await this.fleet.end();
    await Promise.allSettled([this.#temporal.workflow.getHandle(this.#run).terminate()]); // it may be over
  }

  async #leaseFiles(): Promise<string[]> {
    const { journal, home } = this.#parts;
    return journal === 'shared' ? readdir(leasesIn(home)) : [];
  }
}

/** Opens a scene. Its first worker starts with its first run. */
export async function openScene(journal: Journal): Promise<Scene> {
  const home = await mkdtemp(join(tmpdir(), 'pawl-crash-'));
  const { address, bundlePath } = testTemporal();
  const taskQueue = `crash-${randomUUID()}`;
  const fake = await startFakeModelApi({ respond: answerTo, hooks: cuts(() => fleet) });
  const leasesDir = journal === 'shared' ? leasesIn(home) : undefined;
  const fleet = new Fleet({ address, taskQueue, bundlePath, modelUrl: fake.url, leasesDir });
  const connection = await Connection.connect({ address });
  return new Scene({ home, journal, connection, fake, fleet, taskQueue });
}

function leasesIn(home: string): string {
  return join(home, 'leases');
}
