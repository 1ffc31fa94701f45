import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Check, runChecks } from '../fake-model-api/checks.ts';
import { fillPlaceholders } from '../fake-model-api/placeholders.ts';
import { isObject } from '../fake-model-api/wire.ts';
import { isolatedEnvironment, ROOT } from '../support/environment.ts';
import { isMap, type Json } from './case-format.ts';
import { type CaseRun, childrenOf } from './case-run.ts';
import { aliveAfter } from './child-processes.ts';
import { observeHistory, readLinks, replayFaults } from './history.ts';
import type { HandlerStart, Observed, ObservedState } from './observed.ts';
import type { Report } from './reports.ts';
import { pairFaults } from './transcript-pairs.ts';

const run = promisify(execFile);

/** What only the course of a run shows. Filled while it goes on. */
export interface RunTimes {
  totalMs: number;
  workerExitCode?: number | null;
  readonly states: Promise<readonly ObservedState[]>;
}

/** Collects what the finished run is judged by; what costs time only where a word of the case asks for it. */
export async function gather(caseRun: CaseRun, times: RunTimes): Promise<Observed> {
  const { prepared, fake, worker, conversation } = caseRun;
  if (fake.overruns > 0) throw new Error(`${fake.overruns} requests after the last answer`);
  const asked = await gatherAsked(caseRun);
  const links = await allLinks(caseRun);
  const reports = worker.reports.all;
  return {
    ...asked,
    inputs: prepared.file.input,
    turns: conversation.turns.all,
    requests: fake.requests.map(({ at, responseEndedAt }) => ({ receivedAt: at, endedAt: responseEndedAt })),
    rejections: fake.rejections,
    handlerStarts: reports.filter(isStart),
    effects: countEffects(reports),
    totalMs: times.totalMs,
    history: await observeHistory(links, join(caseRun.home, 'payloads')),
    reported: reportedOf(caseRun),
    workerLog: worker.log,
    cancelMs: conversation.cancelMs,
    workerExitCode: times.workerExitCode,
    states: await times.states,
    wireNames: [toolNames(fake.requests[0]?.body)],
    listener: prepared.listener && { hits: prepared.listener.hits, redirects: prepared.listener.redirects },
    check: (checks) => check(caseRun, checks),
  };
}

/** Words that need more than a look at what is already there. */
async function gatherAsked(caseRun: CaseRun): Promise<Partial<Observed>> {
  const { prepared, clients, conversation, taskQueue, worker } = caseRun;
  const expected = { ...prepared.file.alternative_expect, ...prepared.file.expect };
  const asks = (word: string) => expected[word] !== undefined;
  return {
    childrenAlive: asks('children_alive_after_ms')
      ? await aliveAfter(childrenOf(worker), msOf(expected['children_alive_after_ms']))
      : undefined,
    openWorkflows: asks('open_workflows_after_ms')
      ? await openAfter(caseRun, msOf(expected['open_workflows_after_ms']))
      : undefined,
    transcriptFaults: asks('session_history')
      ? pairFaults(await clients.agents.transcript(conversation.runId))
      : undefined,
    replayFaults: asks('replay_equal')
      ? await replayFaults(await allLinks(caseRun), caseRun.surroundings.bundlePath, taskQueue)
      : undefined,
    cliStdout: asks('cli_stdout_not_matches') ? await showRun(caseRun) : undefined,
  };
}

async function allLinks({ conversation, clients }: CaseRun) {
  return (await Promise.all(conversation.runIds.map((id) => readLinks(clients.histories, id)))).flat();
}

async function openAfter({ clients, conversation }: CaseRun, ms: number): Promise<number> {
  await sleep(ms);
  return clients.countOpen(conversation.runIds);
}

/** The run as a person at the command line sees it, and as JSON. */
async function showRun({ conversation, surroundings, home, taskQueue }: CaseRun): Promise<string> {
  const env = isolatedEnvironment({
    TEMPORAL_ADDRESS: surroundings.server.target.address,
    PAWL_HOME: home,
    PAWL_STORAGE: 'disk',
    PAWL_TASK_QUEUE: taskQueue,
  });
  const show = (...options: string[]) =>
    run(process.execPath, ['--import', 'tsx', join(ROOT, 'client.ts'), 'show', conversation.runId, ...options], {
      env,
    });
  const shown = await Promise.all([show(), show('--json')]);
  return shown.map(({ stdout }) => stdout).join('\n');
}

function reportedOf({ conversation }: CaseRun): string {
  return conversation.events.map((event) => JSON.stringify(event)).join('\n');
}

function check({ prepared, fake }: CaseRun, checks: Json): readonly string[] {
  const responses = fillPlaceholders(prepared.file.model_responses, prepared.placeholders);
  return runChecks(checks as unknown as Check[], fake.requests, responses, prepared.wireName);
}

function isStart(report: Report): report is Extract<Report, HandlerStart> {
  return report.type === 'handler_started';
}

/** An effect with a key counts once, however often it was stored. */
function countEffects(reports: readonly Report[]): number {
  const effects = reports.filter((report) => report.type === 'effect');
  const keys = new Set(effects.flatMap(({ key }) => (key === undefined ? [] : [key])));
  return effects.filter(({ key }) => key === undefined).length + keys.size;
}

/** The names of the tools in a request, wherever its wire has them. */
function toolNames(body: unknown): string[] {
  const tools = isObject(body) && Array.isArray(body['tools']) ? body['tools'].filter(isObject) : [];
  const named = tools.flatMap((tool) => [tool, tool['function'], tool['functionDeclarations'] ?? []].flat());
  return named.flatMap((one) => (isObject(one) && typeof one['name'] === 'string' ? [one['name']] : [])).sort();
}

function msOf(expected: Json | undefined): number {
  return isMap(expected) ? Number(expected['ms']) : 0;
}
