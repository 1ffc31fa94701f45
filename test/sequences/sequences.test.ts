// Recorded model calls replay through the loop of today, on a real server and without a provider, to the kept events.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Agent } from '../../src/agents/agent.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { Prompt } from '../../src/protocol/messages.ts';
import type { RunResult } from '../../src/protocol/run.ts';
import { playRun } from '../../src/testing/play-run.ts';
import { replayAdapter } from '../../src/testing/replay-adapter.ts';
import { readSequence, type Sequence } from '../../src/testing/sequence.ts';
import { type Change, mutantBundle } from '../replay/mutants.ts';
import { quietRuntime } from '../support/runtime.ts';
import { testTemporal } from '../support/server.ts';
import { playScenario, recordScenario } from './play-scenario.ts';
import { recordedAgent, SCENARIOS, type Scenario } from './scenarios.ts';

const NAMES = Object.keys(SCENARIOS);

beforeAll(() => quietRuntime());

function scenarioOf(name: string): Scenario {
  const scenario = SCENARIOS[name];
  if (!scenario) throw new Error(`no scenario ${name}`);
  return scenario();
}

function sequenceOf(name: string): Sequence {
  return readSequence(join(import.meta.dirname, `${name}.jsonl`));
}

function keptEvents(name: string): string {
  return readFileSync(join(import.meta.dirname, `${name}.events.jsonl`), 'utf8');
}

function eventsIn(name: string): RunEvent[] {
  const lines = keptEvents(name).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

function promptIn(name: string): Prompt | undefined {
  const [started] = eventsIn(name);
  return started?.type === 'run_started' ? started.prompt : undefined;
}

function finishedIn(name: string): RunResult {
  const finished = eventsIn(name).at(-1);
  if (finished?.type !== 'run_finished') throw new Error(`${name} has no end`);
  return finished.result;
}

function outcomesIn(name: string): string[] {
  const outcomes = eventsIn(name).map((event) =>
    event.type === 'tool_result' ? `${event.callId} ${event.outcome}` : '',
  );
  return outcomes.filter((outcome) => outcome !== '').sort();
}

interface Changed {
  readonly agent?: Agent;
  readonly sequence?: Sequence;
  readonly bundlePath?: string;
}

/** Replays a kept sequence. Gives the events, and how many recorded calls were not asked for. */
async function replay(name: string, changed: Changed = {}): Promise<{ events: string; left: number }> {
  const { agent, play } = scenarioOf(name);
  const { address, bundlePath } = testTemporal();
  const adapter = replayAdapter(changed.sequence ?? sequenceOf(name));
  const place = { address, bundlePath: changed.bundlePath ?? bundlePath };
  const scenario = { agent: changed.agent ?? agent, play };
  const events = await playScenario(place, scenario, { anthropic: async () => adapter });
  return { events, left: adapter.left };
}

test('a sequence and its events are kept for every scenario', () => {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.jsonl'));
  expect(files.sort()).toEqual(NAMES.flatMap((name) => [`${name}.jsonl`, `${name}.events.jsonl`]).sort());
});

describe('a replay gives the kept events', () => {
  test.each(NAMES)('%s', async (name) => {
    const { events, left } = await replay(name);
    expect(events).toBe(keptEvents(name));
    expect(left).toBe(0);
  });
});

test('the real adapter still gives the kept calls and events, against the fake of its provider', async () => {
  const { calls, events } = await recordScenario(testTemporal(), scenarioOf('thinking-and-tool'));
  expect(calls).toBe(readFileSync(join(import.meta.dirname, 'thinking-and-tool.jsonl'), 'utf8'));
  expect(events).toBe(keptEvents('thinking-and-tool'));
});

describe('playRun comes to the result of the run on a server', () => {
  const tasks = NAMES.filter((name) => finishedIn(name).turns === 1);

  test('which is compared for every kind of answer that a task can get', () => {
    expect(tasks).toHaveLength(6);
  });

  test.each(tasks)('%s', async (name) => {
    const adapter = replayAdapter(sequenceOf(name));
    const { agent } = scenarioOf(name);
    const { result, calls } = await playRun({ agent, request: { prompt: promptIn(name) }, adapter });
    expect(result).toEqual(finishedIn(name));
    expect(calls.map(({ callId, outcome }) => `${callId} ${outcome}`).sort()).toEqual(outcomesIn(name));
    expect(adapter.left).toBe(0);
  });
});

describe('a replay fails', () => {
  test('where the loop gives results back in another order', async () => {
    const { events } = await withMutant(SWAPPED_RESULTS, (bundlePath) => replay('parallel-tools', { bundlePath }));
    expect(events).toContain('not as it was recorded, at model call 2 of 3: block 1 of the last message (result of');
    expect(events).not.toBe(keptEvents('parallel-tools'));
  });

  test('where the loop no longer asks again after an empty answer', async () => {
    const { events, left } = await withMutant(NO_NUDGE, (bundlePath) => replay('empty-answer', { bundlePath }));
    expect(events).not.toBe(keptEvents('empty-answer'));
    expect(left).toBe(1);
  });

  test('where the agent allows fewer calls than when it was recorded', async () => {
    const agent = recordedAgent({ limits: { maxCallsPerIteration: 1 } });
    const { events } = await replay('parallel-tools', { agent });
    expect(events).toContain('block 2 of the last message (result of look, call toolu_look_2) is');
  });

  test('with the sequence of another run, at the first difference', async () => {
    const { events, left } = await replay('cut-call', { sequence: sequenceOf('chat-with-tools') });
    expect(events).toContain('at model call 1 of 5: block 1 of the last message (text) is');
    expect(left).toBe(5);
  });

  test('with a sequence that ends too soon', async () => {
    const { events } = await replay('thinking-and-tool', { sequence: sequenceOf('thinking-and-tool').slice(0, 1) });
    expect(events).toContain('at model call 2 of 1: it was not recorded');
  });
});

const SWAPPED_RESULTS: Change = {
  file: 'transcript.ts',
  find: 'const content = transcript.open.map(',
  replaceBy: 'const content = [...transcript.open].reverse().map(',
};
const NO_NUDGE: Change = {
  file: 'answers.ts',
  find: 'if (turn.nudged) return',
  replaceBy: 'if (!turn.nudged) return',
};

/** Does something with a bundle of the workflow code in which one thing is changed. */
async function withMutant<T>(change: Change, use: (bundlePath: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-mutant-'));
  try {
    const bundlePath = join(folder, 'workflows.js');
    writeFileSync(bundlePath, await mutantBundle([change]));
    return await use(bundlePath);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
