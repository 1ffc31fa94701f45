import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type Connection } from '@temporalio/client';
import { AgentClient } from '../../src/client/agent-client.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { Message } from '../../src/protocol/messages.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { type ToolName, WITH_LEASES } from '../crash/agents.ts';
import { FATAL_ITERATION } from '../crash/fates.ts';
import type { Seen as CrashSeen } from '../crash/scene.ts';
import { answerTo, iterationOf, promptFor } from '../crash/script.ts';
import { type FakeModelApi, type FakeModelApiOptions, startFakeModelApi } from '../fake-model-api/fake-model-api.ts';
import { countRepeatedCompleted, type RecordedRequest } from '../fake-model-api/recorded-request.ts';
import { testTemporal } from '../support/server.ts';
import { isModelPoint, type ModelPoint, type Point, type Report } from './points.ts';
import { WorkerHandle } from './worker-handle.ts';

/** For a run and its outage together, on a machine that does something else too. */
const RUN_TIMEOUT_MS = 80_000;
/** What a failure shows of the worker's log. */
const LOG_TAIL_CHARS = 3_000;

/** What happens to one run. */
export interface Fault {
  /** Default is the agent that keeps the defaults. */
  readonly agent?: string;
  /** What the model is told to use in the fatal iteration; worker points lie in the handlers of all of them. */
  readonly tools: readonly [ToolName, ...ToolName[]];
  readonly at: Point;
  /** Processes that are killed at the point. */
  readonly victims?: readonly number[];
  /** The handler or the answer at the point waits for it. Nobody waits at `after_handler` and `between_iterations`. */
  readonly during?: () => void | Promise<void>;
  /** Begins when the point has been passed. */
  readonly after?: () => void | Promise<void>;
}

/** With the time of the worker's own clock. */
type Start = Extract<Report, { readonly type: 'handler_started' }>;

/** What was seen of it. */
export interface Seen extends CrashSeen {
  readonly starts: readonly Start[];
  /** Model requests and handler starts that came after the history had their result. */
  readonly repeatedRecorded: number;
}

/** Where a scene's worker finds what it needs. */
export interface SceneOptions {
  /** Of the server, for the test itself. */
  readonly address: string;
  /** The same, for the worker: a proxy, where there is one. */
  readonly workerAddress?: string;
  /** Gives the address of the model for the worker: a proxy before the fake. */
  readonly modelUrl?: (fake: FakeModelApi) => Promise<string> | string;
  /** Of the worker process. */
  readonly env?: Readonly<Record<string, string>>;
  /** The model; default is that of the script. */
  readonly respond?: FakeModelApiOptions['respond'];
}

interface Parts {
  readonly options: SceneOptions;
  readonly home: string;
  readonly connection: Connection;
  readonly fake: FakeModelApi;
}

/** A queue, a worker process on it, and the model behind them. */
export class FaultScene {
  readonly #options: SceneOptions;
  readonly #home: string;
  readonly #taskQueue = `faults-${randomUUID()}`;
  readonly #temporal: Client;
  readonly #client: AgentClient;
  readonly #fake: FakeModelApi;
  readonly #undisturbed = new Map<string, readonly Message[]>();
  #worker: WorkerHandle;
  #starts: Start[] = [];
  #atModel: { readonly point: ModelPoint; readonly fault: Fault; pass(): void } | undefined;

  private constructor({ options, home, connection, fake }: Parts) {
    this.#options = options;
    this.#home = home;
    this.#fake = fake;
    this.#temporal = new Client({ connection });
    this.#client = new AgentClient({ client: this.#temporal, taskQueue: this.#taskQueue });
    this.#worker = this.#newWorker();
  }

  /** A scene whose worker works. */
  static async open(options: SceneOptions): Promise<FaultScene> {
    let scene: FaultScene | undefined;
    const at = (point: ModelPoint) => (request: RecordedRequest) =>
      scene ? scene.#reachedAtModel(point, request) : undefined;
    const hooks = {
      beforeHeaders: at('before_headers'),
      afterFirstDelta: at('first_delta'),
      afterLastDelta: at('last_delta'),
    };
    const [home, fake, connection] = await Promise.all([
      mkdtemp(join(tmpdir(), 'pawl-faults-')),
      startFakeModelApi({ respond: options.respond ?? answerTo, hooks }),
      connectClient({ address: options.address, namespace: 'default', connectionOptions: {}, source: 'embedded' }),
    ]);
    scene = new FaultScene({ options, home, connection, fake });
    await scene.#setToWork();
    return scene;
  }

  get #leasesDir(): string {
    return join(this.#home, 'leases');
  }

  get workerPid(): number {
    return this.#worker.pid;
  }

  /** Waits until a worker that was killed is gone, and puts another one in its place. */
  async replaceWorker(): Promise<void> {
    await this.#worker.exited;
    this.#worker = this.#newWorker();
    await this.#setToWork();
  }

  /** Plays a run with a fault, and tells what was seen. */
  async play(fault: Fault): Promise<Seen> {
    const { agent = WITH_LEASES } = fault;
    const undisturbed = await this.#playUndisturbed(fault.tools);
    const requestsBefore = this.#fake.requests.length;
    this.#starts = [];
    const reached = await this.#prepare(fault);
    const { run } = await this.#client.start({ agent, prompt: promptFor(fault.tools) });
    const course = this.#follow(fault, reached);
    try {
      const signal = AbortSignal.timeout(RUN_TIMEOUT_MS);
      const [result] = await Promise.all([this.#client.result(run, { signal }), course]);
      const events: RunEvent[] = [];
      for await (const event of this.#client.events(run, { until: 'now' })) events.push(event);
      const requests = this.#fake.requests.slice(requestsBefore);
      return {
        result,
        events,
        requests,
        undisturbed,
        transcript: await this.#client.transcript(run),
        repeated: countRepeatedCompleted(requests),
        repeatedRecorded: repeatedAfterRecord({ events, requests, starts: this.#starts }),
        starts: this.#starts,
        lost: [],
        leaseFiles: await readdir(this.#leasesDir),
        log: this.#worker.log,
      };
    } catch (error) {
      const log = this.#worker.log.slice(-LOG_TAIL_CHARS);
      throw new Error(`the run did not end; its worker wrote:\n${log}`, { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.#worker.kill();
    await Promise.all([this.#fake.close(), this.#temporal.connection.close(), rm(this.#home, { recursive: true })]);
  }

  /** Arms the fault. What it returns resolves when the point is reached and, at the model, when the answer may go on. */
  async #prepare(fault: Fault): Promise<{ readonly reached: Promise<void> }> {
    const { at: point, tools, victims = [] } = fault;
    if (isModelPoint(point)) {
      const reached = new Promise<void>((resolve) => {
        this.#atModel = { point, fault, pass: resolve };
      });
      return { reached };
    }
    await this.#worker.tell({ type: 'order', order: { point, tools, victims } });
    return { reached: this.#worker.next('reached') };
  }

  async #follow({ at, during, after, victims = [] }: Fault, { reached }: { reached: Promise<void> }): Promise<void> {
    const ofWorker = !isModelPoint(at);
    const worker = this.#worker;
    await reached;
    if (ofWorker) await during?.();
    if (ofWorker && !victims.includes(worker.pid)) await worker.tell({ type: 'resume' });
    await after?.();
  }

  async #reachedAtModel(point: ModelPoint, request: RecordedRequest): Promise<void> {
    const waiting = this.#atModel;
    if (waiting?.point !== point || iterationOf(request) !== FATAL_ITERATION) return;
    this.#atModel = undefined;
    const { during, victims = [] } = waiting.fault;
    for (const pid of victims) process.kill(pid, 'SIGKILL');
    await during?.();
    waiting.pass();
    // Nothing more of this answer may leave where its reader is as good as gone.
    if (victims.includes(this.#worker.pid)) await new Promise(() => undefined);
  }

  /** The transcript of the same run without a fault; it is played once. */
  async #playUndisturbed(tools: Fault['tools']): Promise<readonly Message[]> {
    const known = this.#undisturbed.get(promptFor(tools));
    if (known) return known;
    const { run } = await this.#client.start({ agent: WITH_LEASES, prompt: promptFor(tools) });
    await this.#client.result(run, { signal: AbortSignal.timeout(RUN_TIMEOUT_MS) });
    const transcript = await this.#client.transcript(run);
    this.#undisturbed.set(promptFor(tools), transcript);
    return transcript;
  }

  #newWorker(): WorkerHandle {
    const heed = (report: Report) => void (report.type === 'handler_started' && this.#starts.push(report));
    return new WorkerHandle(heed, this.#options.env);
  }

  async #setToWork(): Promise<void> {
    const { address, workerAddress = address, modelUrl = ({ url }) => url } = this.#options;
    const { bundlePath } = testTemporal();
    const places = { address: workerAddress, modelUrl: await modelUrl(this.#fake), bundlePath };
    const setup = { ...places, taskQueue: this.#taskQueue, leasesDir: this.#leasesDir };
    await this.#worker.tell({ type: 'work', setup });
  }
}

/** The history's times are of the server's clock, which is this machine's. */
function repeatedAfterRecord({ events, requests, starts }: Pick<Seen, 'events' | 'requests' | 'starts'>): number {
  const recorded = events.flatMap((event) => (event.type === 'model_result' ? [Date.parse(event.at)] : []));
  const results = new Map(
    events.flatMap((event) => (event.type === 'tool_result' ? [[event.callId, event] as const] : [])),
  );
  const lateRequests = requests.filter(
    (request) => request.at > (recorded[iterationOf(request) - 1] ?? Number.POSITIVE_INFINITY),
  );
  const lateStarts = starts.filter(({ callId, atMs }) => atMs > Date.parse(results.get(callId)?.at ?? ''));
  return lateRequests.length + lateStarts.length;
}
