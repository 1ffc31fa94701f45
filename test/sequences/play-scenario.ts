// Plays a scenario on a real server, with any model behind it.

import { createAnthropicAdapter } from '../../src/adapters/anthropic.ts';
import type { AdapterFactories } from '../../src/adapters/by-name.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import { recordingAdapters } from '../../src/testing/recording-adapter.ts';
import { type RecordedCall, sequenceLine } from '../../src/testing/sequence.ts';
import { startFakeModelApi } from '../fake-model-api/fake-model-api.ts';
import { withRunWorker } from '../support/run-worker.ts';
import type { Scenario } from './scenarios.ts';

/** Where the scenario's worker runs. `bundlePath` may hold workflow code that was changed. */
export interface Place {
  readonly address: string;
  readonly bundlePath: string;
}

/** A scenario as it went: JSON lines of its model calls, and of its events. */
export interface Recorded {
  readonly calls: string;
  readonly events: string;
}

/** Plays a scenario with these adapters. Gives the lines of its events, without what differs from run to run. */
export async function playScenario(
  place: Place,
  { agent, play }: Pick<Scenario, 'agent' | 'play'>,
  adapters: AdapterFactories,
): Promise<string> {
  return await withRunWorker({ ...place, agents: [agent], adapters }, async ({ client }) => {
    const run = await play(client);
    const events: RunEvent[] = [];
    for await (const event of client.events(run)) events.push(event);
    return lines(resultsInOrder(events).map(eventLine));
  });
}

/** Plays a scenario through the real adapter and its SDK against the strict fake of the provider. */
export async function recordScenario(place: Place, scenario: Scenario): Promise<Recorded> {
  const fake = await startFakeModelApi({ responses: scenario.responses });
  const anthropic = async () => createAnthropicAdapter({ apiKey: 'test-key', baseUrl: fake.url });
  const calls: RecordedCall[] = [];
  const adapters = recordingAdapters({ anthropic }, { secrets: ['test-key'], onCall: (call) => calls.push(call) });
  try {
    const events = await playScenario(place, scenario, adapters);
    return { calls: lines(calls.map(sequenceLine)), events };
  } finally {
    await fake.close();
  }
}

/** Calls that run at the same time end in any order: their results are sorted by call id. */
function resultsInOrder(events: readonly RunEvent[]): RunEvent[] {
  const rank = (event: RunEvent): string => (event.type === 'tool_result' ? event.callId : '');
  const groups: RunEvent[][] = [];
  for (const event of events) {
    const group = groups.at(-1);
    if (event.type === 'tool_result' && group?.[0]?.type === 'tool_result') group.push(event);
    else groups.push([event]);
  }
  return groups.flatMap((group) => group.sort((a, b) => rank(a).localeCompare(rank(b))));
}

/** Times, ids and positions in history are of one run; all else is the behaviour of the loop. */
function eventLine(event: RunEvent): string {
  const { cursor: _, at: __, run: ___, ...rest } = event;
  return JSON.stringify(rest, (key, value: unknown) => (key === 'durationMs' ? undefined : value));
}

function lines(of: readonly string[]): string {
  return of.map((line) => `${line}\n`).join('');
}
