// What a person sees of a run in the Temporal UI, read back from where the UI reads it.

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { defaultPayloadConverter, type SearchAttributePair } from '@temporalio/common';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/agent.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { eventOf, type Harness, withHarness } from '../support/harness.ts';
import { type HistoryEvent, historyOf } from '../support/histories.ts';
import { asks, says } from '../support/messages.ts';

const city = z.object({ city: z.string() });
const look = { description: 'Looks the weather up.', input: city, effect: 'read' } as const;
const getWeather = defineTool({ ...look, name: 'get_weather', run: () => 'sunny' });
const quickWeather = defineTool({ ...look, name: 'quick_weather', quick: true, run: () => 'sunny' });
const agent = defineAgent({
  name: 'tester',
  instructions: 'Be brief.',
  model: 'anthropic/claude-fake-1',
  tools: [getWeather, quickWeather],
});
const request = { agent: 'tester', prompt: 'How is the weather?\nIn Seoul.', requestedBy: 'mina', tenant: 'acme' };

/** The summary of an activity, ordinary or local. */
function activitySummary(event: HistoryEvent): string[] {
  const isActivity = event.activityTaskScheduledEventAttributes ?? event.markerRecordedEventAttributes;
  const summary = event.userMetadata?.summary;
  return isActivity && summary ? [defaultPayloadConverter.fromPayload(summary)] : [];
}

function attributesOf({ typedSearchAttributes }: WorkflowExecutionDescription): Record<string, unknown> {
  const pairs: SearchAttributePair[] = typedSearchAttributes.getAll();
  return Object.fromEntries(pairs.map(({ key, value }) => [key.name, value]));
}

async function runsFoundBy(temporal: Client, query: string): Promise<string[]> {
  const runs: string[] = [];
  for await (const { workflowId } of temporal.workflow.list({ query })) runs.push(workflowId);
  return runs;
}

/** A chat that has had one turn and waits for the next message. */
async function idleChat({ client }: Harness): Promise<string> {
  const { run } = await client.start({ ...request, mode: 'chat' });
  await eventOf(client, run, 'turn_finished');
  return run;
}

describe('a run in the Temporal UI', () => {
  test('has a summary and details, and each activity says in one line what it does', async () => {
    const responses = [
      asks(['get_weather', { city: 'Seoul' }]),
      asks(['quick_weather', { city: 'Busan' }]),
      says('Sunny.'),
    ];
    await withHarness({ agents: [agent], model: { responses } }, async ({ client, temporal }) => {
      const { run } = await client.start(request);
      await client.result(run);
      const described = await temporal.workflow.getHandle(run).describe();
      expect(await described.staticSummary()).toBe('tester: How is the weather?');
      expect(await described.staticDetails()).toBe(
        '- **agent:** tester\n- **requested by:** mina\n\n> How is the weather?\n> In Seoul.',
      );
      const summaries = (await historyOf(temporal, run)).flatMap(activitySummary);
      expect(summaries).toEqual([
        '#1 anthropic/claude-fake-1',
        '{"city":"Seoul"}',
        '#2 anthropic/claude-fake-1',
        '{"city":"Busan"}',
        '#3 anthropic/claude-fake-1',
      ]);
    });
  });

  test('says in its current details where it stands and what it waits for', async () => {
    const model = { responses: [asks(['get_weather', { city: 'Seoul' }]), says('Sunny.')] };
    await withHarness({ agents: [agent], model }, async (harness) => {
      const run = await idleChat(harness);
      const handle = harness.temporal.workflow.getHandle(run);
      const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
      expect(currentDetails).toContain('**tester** on anthropic/claude-fake-1');
      expect(currentDetails).toContain('| 1 | 0 of 10 | 60 |');
      expect(currentDetails).toContain('Waiting for a message.');
    });
  });

  test('is described by its search attributes, which follow its status', async () => {
    await withHarness({ agents: [agent], model: { responses: [says('Hello.')] } }, async (harness) => {
      const run = await idleChat(harness);
      const handle = harness.temporal.workflow.getHandle(run);
      const constant = { PawlAgent: 'tester', PawlModel: 'anthropic/claude-fake-1', PawlTenant: 'acme' };
      const idle = { ...constant, PawlStatus: 'idle', PawlWaiting: true, PawlTokens: 30 };
      await vi.waitFor(async () => expect(attributesOf(await handle.describe())).toMatchObject(idle));
      await harness.client.close(run);
      await harness.client.result(run);
      const ended = { ...constant, PawlStatus: 'completed', PawlWaiting: false, PawlTokens: 30 };
      expect(attributesOf(await handle.describe())).toMatchObject(ended);
    });
  });

  test('is found by its search attributes', async () => {
    const tenant = `tenant-${Date.now()}`;
    await withHarness({ agents: [agent], model: { responses: [says('Hello.')] } }, async ({ client, temporal }) => {
      const { run } = await client.start({ ...request, tenant });
      await client.result(run);
      const found = (query: string) => runsFoundBy(temporal, `PawlTenant = '${tenant}' AND ${query}`);
      // The visibility store is written a moment after the run.
      await vi.waitFor(async () => expect(await found("PawlStatus = 'completed'")).toEqual([run]), 10_000);
      expect(await found("PawlAgent = 'tester' AND PawlModel = 'anthropic/claude-fake-1'")).toEqual([run]);
      expect(await found('PawlTokens = 30 AND PawlWaiting = false')).toEqual([run]);
      expect(await found('PawlTokens > 30')).toEqual([]);
    });
  });
});
