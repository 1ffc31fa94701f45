import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ArmedEvents, armEvents } from './armed-events.ts';
import { openClients } from './case-clients.ts';
import type { CaseEvent } from './case-format.ts';
import { type CaseRun, childrenOf, type Surroundings } from './case-run.ts';
import { killAll } from './child-processes.ts';
import { Conversation } from './conversation.ts';
import { gather, type RunTimes } from './gather.ts';
import { startModelFake } from './model-fake.ts';
import type { Observed, ObservedState } from './observed.ts';
import type { PreparedCase } from './prepare-case.ts';
import type { Report } from './reports.ts';
import { WorkerProcess } from './worker-process.ts';
import type { WorkerSetup } from './worker-setup.ts';

/** No ready case takes a third of this; a hung one must not hold up the others for long. */
const CASE_TIMEOUT_MS = 90_000;

let lastNumber = 0;

/** Thrown for a run that did not come to its end; its message says how far it came. */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff';
  readonly workerLog: string;

  constructor(message: string, workerLog: string, cause: unknown) {
    super(message, { cause });
    this.workerLog = workerLog;
  }
}

/** Runs a case once, in processes and a task queue of its own, and observes. Throws when it does not come to its end. */
export async function runOnce(prepared: PreparedCase, folder: string, surroundings: Surroundings): Promise<Observed> {
  const home = join(folder, 'home');
  await mkdir(home);
  const taskQueue = `case-${process.pid}-${++lastNumber}`;
  const fake = await startModelFake(prepared.file, prepared.placeholders);
  const signal = AbortSignal.timeout(CASE_TIMEOUT_MS);
  const clients = openClients(surroundings.server, home, taskQueue);
  const worker = new WorkerProcess(await writeSetup(prepared, { folder, home, taskQueue, fake, surroundings }));
  const conversation = new Conversation(clients.agents, taskQueue, signal);
  const run = { prepared, surroundings, home, taskQueue, fake, worker, clients, conversation, signal };
  try {
    return await observe(run);
  } catch (error) {
    throw brokenOff(run, error);
  } finally {
    await worker.stop();
    await clients.terminateOpen(conversation.runIds);
    killAll(childrenOf(worker));
    await fake.close();
  }
}

async function observe(run: CaseRun): Promise<Observed> {
  const { prepared, worker, conversation, signal } = run;
  worker.start();
  await worker.reports.nth(1, (one) => one.type === 'ready', signal);
  const startedAt = performance.now();
  const times: RunTimes = { totalMs: 0, states: watchStates(run, startedAt) };
  const armed = arm(run, times);
  await conversation.hold(prepared.file.input);
  times.totalMs = performance.now() - startedAt;
  const faults = await armed.settle();
  if (faults.length > 0) throw new Error(faults.join('; '));
  return gather(run, times);
}

function arm({ prepared, worker, conversation, fake }: CaseRun, times: RunTimes): ArmedEvents {
  const trigger = (event: CaseEvent, signal: AbortSignal): Promise<unknown> => {
    const nth = event.nth ?? 1;
    switch (event.on) {
      case 'tool_started':
        return worker.reports.nth(nth, (one) => startOf(one) === event.tool, signal);
      case 'run_idle':
        return conversation.turns.nth(nth, () => true, signal);
      case 'model_request':
        return Promise.race([fake.waitForRequest(nth - 1), rejectOn(signal)]);
    }
  };
  const act = async (event: CaseEvent): Promise<void> => {
    switch (event.do) {
      case 'kill_worker_and_restart':
        return worker.killAndRestart();
      case 'sigterm_worker_then_start_new':
        times.workerExitCode = await worker.terminateAndReplace();
        return;
      case 'cancel_run':
        return conversation.cancel();
      case 'user_message':
        return conversation.interject(event.text ?? '');
    }
  };
  return armEvents(prepared.file.events ?? [], trigger, act);
}

function startOf(report: Report): string | undefined {
  return report.type === 'handler_started' ? report.tool : undefined;
}

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

/** Looks where the run stands, at each time that the case names. */
async function watchStates(
  { prepared, clients, conversation, signal }: CaseRun,
  startedAt: number,
): Promise<ObservedState[]> {
  const wanted = [prepared.file.expect['state_at'] ?? []].flat() as { ms: number }[];
  return Promise.all(
    wanted.map(async ({ ms }) => {
      await sleep(startedAt + ms - performance.now(), undefined, { signal });
      return { ms, state: await clients.stateOf(conversation.runId) };
    }),
  );
}

async function writeSetup(
  { file, apiKey, listener }: PreparedCase,
  place: Pick<CaseRun, 'home' | 'taskQueue' | 'fake' | 'surroundings'> & { readonly folder: string },
): Promise<string> {
  const { address, namespace } = place.surroundings.server.target;
  const setup: WorkerSetup = {
    address,
    namespace,
    taskQueue: place.taskQueue,
    home: place.home,
    bundlePath: place.surroundings.bundlePath,
    provider: file.provider,
    modelUrl: place.fake.url,
    apiKey,
    settings: file.settings ?? {},
    tools: file.tools,
    allowPrivate: listener === undefined ? [] : [listener.redirector],
  };
  const path = join(place.folder, 'worker-setup.json');
  await writeFile(path, JSON.stringify(setup), { mode: 0o600 });
  return path;
}

function brokenOff({ worker, conversation, fake, signal }: CaseRun, error: unknown): BrokenOff {
  const cause = error instanceof Error ? error.message : String(error);
  const why = signal.aborted ? `not over after ${CASE_TIMEOUT_MS / 1_000} s` : cause;
  const event = conversation.events.at(-1)?.type ?? 'none';
  const rejected = fake.rejections.map((one) => `; rejected ${one}`).join('');
  return new BrokenOff(`${why} (last event: ${event}; ${fake.requests.length} requests${rejected})`, worker.log, error);
}
